"""Decoding of video and audio, strictly: short media whole, longer ones in samples."""

from fractions import Fraction
from typing import cast

from av.codec import CodecContext
from av.error import FFmpegError, InvalidDataError
from av.packet import Packet
from av.stream import Stream
from av.video.codeccontext import VideoCodecContext
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from services.verifier.checks.leftovers import is_leftover
from services.verifier.checks.subject import NotApplicable, Refused, Subject
from services.verifier.checks.tracks import Media, Track
from services.verifier.policy import Limits
from shared.reasons import Reason

STRICT = {"err_detect": "crccheck+explode"}
"""FFmpeg hides damage by default (it paints over it); here damage must be an error."""

SECOND = {"vp8": "libvpx"}
"""VP8 has no check sums, and FFmpeg's own decoder makes pictures of much; that of the browsers has to agree."""

END_SHARE = 4
"""The sample before the end is longer, as it has to start at the last key frame."""


def make_strict(track: Track, limits: Limits) -> None:
    """Set up a track's decoder: strict, in one thread, with its budget of packets."""
    track.stream.codec_context.options = STRICT
    track.stream.codec_context.thread_count = 1
    track.budget = _packets(track, limits.whole_decode_pixels, limits.whole_decode_packets)
    if track.stream.codec_context.name in SECOND:
        track.second = cast(VideoCodecContext, CodecContext.create(SECOND[track.stream.codec_context.name], "r"))
        track.second.thread_count = 1


def decode(track: Track, packet: "Packet[Stream]") -> int:
    """Decode a packet and count its frames. Raises FFmpegError for damage.

    What a cut left behind may fail.
    """
    try:
        frames = track.stream.decode(packet)
        if track.second is not None and packet.size:
            track.second.decode(packet)
    except InvalidDataError:
        if not is_leftover(track, packet):
            raise
        track.leftovers += 1
        return 0
    track.decoded += len(frames)
    if frames and isinstance(frames[0], VideoFrame):
        track.rotation = -frames[0].rotation % 360
    return len(frames)


def later_samples(subject: Subject) -> None:
    """A stream too long to be decoded whole also decodes in the middle and before its end."""
    media = subject.opened_as(Media)
    longer = [track for track in media.tracks if track.packets > track.budget]
    for track in longer:
        _samples(subject, media, track)
    if any(track.leftovers for track in media.tracks):
        subject.note("leading_frames_lost")
    subject.found["frames_decoded"] = sum(track.decoded for track in media.tracks)
    if not longer:
        raise NotApplicable


def _samples(subject: Subject, media: Media, track: Track) -> None:
    """Decode two samples; where one fails it may be that its key frame needs earlier ones, so the whole decides."""
    size = _packets(track, subject.limits.sample_pixels, subject.limits.sample_packets)
    first, last = _range(track)
    try:
        _sample(media, track, (first + last) // 2, size)
        reached = _sample(media, track, last, size * END_SHARE)
    except (FFmpegError, Refused):
        reached = _sample(media, track, first, track.packets)
    if not reached:
        subject.note("end_not_decoded")


def _sample(media: Media, track: Track, instant: int, size: int) -> bool:
    """Decode `size` packets from the key frame before `instant` (in the stream's time base).

    True if that reaches the end of the stream.
    """
    media.container.seek(instant, stream=track.stream)
    frames, reached = 0, True
    for number, packet in enumerate(media.container.demux(track.stream)):
        if number >= size and packet.size:
            reached = False
            break
        frames += decode(track, packet)
    if not frames:
        raise Refused(Reason.UNDECODABLE, f"no frame at {float(instant * track.base):.2f} s")
    return reached


def _range(track: Track) -> tuple[int, int]:
    """First instant and where the last sample starts, in the stream's time base."""
    start, end = (round((instant or Fraction(0)) / track.base) for instant in (track.start, track.end))
    if track.is_video and track.last_key is not None:
        return start, track.last_key
    return start, max(start, end - round(Fraction(2) / track.base))


def _packets(track: Track, pixels: int, audio_packets: int) -> int:
    """A budget in packets: for video so many that their frames have `pixels` in all."""
    if not isinstance(track.stream, VideoStream):
        return audio_packets
    return max(1, pixels // max(1, track.stream.width * track.stream.height))
