"""Video and audio from outside: the container, its streams, their codecs and sizes."""

from collections.abc import Callable
from functools import cache

import av
from av.audio.stream import AudioStream
from av.codec.codec import UnknownCodecError
from av.stream import Disposition
from av.video.stream import VideoStream

from services.verifier.checks.boxes import not_encrypted, whole_boxes
from services.verifier.checks.ebml import is_encrypted, whole_elements
from services.verifier.checks.look import tell_look
from services.verifier.checks.mpeg_audio import whole_adts, whole_mp3
from services.verifier.checks.ogg import whole_ogg
from services.verifier.checks.riff import whole_riff
from services.verifier.checks.subject import NotApplicable, Refused, Subject
from services.verifier.checks.tracks import Media, Track
from services.verifier.policy import AUDIO_CODECS, VIDEO_CODECS
from shared.messages import Kind
from shared.reasons import Reason

WHOLE: dict[str, Callable[[Subject], None]] = {
    "mov": whole_boxes,
    "matroska": whole_elements,
    "wav": whole_riff,
    "avi": whole_riff,
    "ogg": whole_ogg,
    "aac": whole_adts,
    "mp3": whole_mp3,
}
"""How the end is proven, by reader; a FLAC states its length, which the packets must reach."""

READ_BYTES = 256 * 1024
OPTIONS = {"protocol_whitelist": "none"}


def whole_container(subject: Subject) -> None:
    """No part of the container's structure ends after the end of the file."""
    check = WHOLE.get(subject.format.reader)
    if check is None:
        raise NotApplicable
    check(subject)


def clear_samples(subject: Subject) -> None:
    """The samples are not encrypted."""
    if subject.format.reader == "matroska":
        if is_encrypted(subject):
            raise Refused(Reason.ENCRYPTED, "a track has encrypted samples")
    elif subject.format.reader == "mov":
        not_encrypted(subject)
    else:
        raise NotApplicable


def container(subject: Subject) -> None:
    """FFmpeg reads the container with the one demuxer of the signature; it opens nothing else."""
    subject.file.seek(0)
    options = OPTIONS | {"max_streams": str(subject.limits.streams), "codec_whitelist": _decoders()}
    opened = av.open(
        subject.file,
        "r",
        format=subject.format.reader,
        container_options=options,
        metadata_errors="replace",
        buffer_size=READ_BYTES,
    )
    subject.opened = Media(opened)


def streams(subject: Subject) -> None:
    """There is a video or audio stream; which of them tells the kind. Cover pictures do not count."""
    media = subject.opened_as(Media)
    for stream in media.container.streams:
        if isinstance(stream, VideoStream | AudioStream) and not stream.disposition & Disposition.attached_pic:
            media.tracks.append(Track(stream))
    if not media.tracks:
        raise Refused(Reason.UNDECODABLE, "the file has no video or audio stream")
    media.tracks.sort(key=lambda track: not track.is_video)
    subject.kind = Kind.VIDEO if media.tracks[0].is_video else Kind.AUDIO
    pictures = sum(track.is_video for track in media.tracks)
    subject.found |= {"video_tracks": pictures, "audio_tracks": len(media.tracks) - pictures}
    subject.found["other_tracks"] = len(media.container.streams) - len(media.tracks)
    if subject.kind not in subject.format.types:
        raise Refused(Reason.NOT_MEDIA, f"{subject.kind} in {subject.format.name} is not accepted")


def codecs(subject: Subject) -> None:
    """Every video and audio stream has an accepted codec; no other decoder is ever opened."""
    tracks = subject.opened_as(Media).tracks
    names = tuple(dict.fromkeys(_codec(track) for track in tracks))
    for name in names:
        if name not in VIDEO_CODECS | AUDIO_CODECS:
            raise Refused(Reason.UNDECODABLE, f"the codec {name} is not accepted")
    audio = [track.stream for track in tracks if isinstance(track.stream, AudioStream)]
    subject.found |= {"codecs": names, "has_audio": bool(audio)}
    if audio:
        subject.found |= {"sample_rate": audio[0].sample_rate, "channels": audio[0].channels}


def picture_size(subject: Subject) -> None:
    """Every video stream has a width and a height inside the limits."""
    if subject.kind is not Kind.VIDEO:
        raise NotApplicable
    for track in reversed(subject.opened_as(Media).tracks):
        if not isinstance(track.stream, VideoStream):
            continue
        width, height = track.stream.width, track.stream.height
        if width * height > subject.limits.video_pixels:
            raise Refused(Reason.UNSAFE_MEDIA, f"{width} x {height} pixels")
        if width * height == 0:
            raise Refused(Reason.UNDECODABLE, "a video stream has no width or height")
        subject.found |= {"width": width, "height": height}
        tell_look(subject, track.stream)


def _codec(track: Track) -> str:
    """FFmpeg's name of the codec; `unknown` where FFmpeg has no decoder."""
    return track.stream.codec.canonical_name if track.stream.codec_context else "unknown"


@cache
def _decoders() -> str:
    accepted = VIDEO_CODECS | AUDIO_CODECS
    return ",".join(name for name in sorted(av.codecs_available) if _decodes(name, accepted))


def _decodes(name: str, accepted: frozenset[str]) -> bool:
    try:
        return av.Codec(name, "r").canonical_name in accepted
    except UnknownCodecError:
        return False
