"""Decoding of video and audio, strictly: short media whole, longer ones in samples."""

from fractions import Fraction

from av.error import FFmpegError
from av.video.stream import VideoStream

from services.verifier.checks.streams import Media, Track
from services.verifier.checks.subject import Refused, Subject
from services.verifier.policy import Limits
from shared.reasons import Reason

STRICT = {"err_detect": "crccheck+bitstream+buffer+explode"}
"""FFmpeg hides damage by default (it paints over it); here damage must be an error."""

END_SHARE = 4
"""The sample before the end is longer, as it has to start at the last key frame."""


def make_strict(track: Track, limits: Limits) -> None:
    """Set up a track's decoder: strict, in one thread, with its budget of packets."""
    track.stream.codec_context.options = STRICT
    track.stream.codec_context.thread_count = 1
    track.budget = _packets(track, limits.whole_decode_pixels, limits.whole_decode_packets)


def later_samples(subject: Subject) -> None:
    """A stream too long to be decoded whole also decodes in the middle and before its end."""
    media, limits = subject.opened_as(Media), subject.limits
    for track in media.tracks:
        if track.packets > track.budget:
            size = _packets(track, limits.sample_pixels, limits.sample_packets)
            first, last = _range(track)
            track.decoded += _sample(media, track, (first + last) // 2, size)
            track.decoded += _sample(media, track, last, size * END_SHARE)
    subject.found["frames_decoded"] = sum(track.decoded for track in media.tracks)


def _sample(media: Media, track: Track, instant: int, size: int) -> int:
    """Count the frames of up to `size` packets from the key frame before `instant` (in stream time)."""
    media.container.seek(instant, stream=track.stream)
    frames = 0
    for number, packet in enumerate(media.container.demux(track.stream)):
        if number >= size:
            break
        try:
            frames += len(packet.decode())
        except FFmpegError:
            if frames or not packet.size:
                raise
    if not frames:
        raise Refused(Reason.UNDECODABLE, f"no frame at {float(instant * _base(track)):.2f} s")
    return frames


def _range(track: Track) -> tuple[int, int]:
    """First instant and where the last sample starts, in the stream's time base."""
    start, end = (round((instant or Fraction(0)) / _base(track)) for instant in (track.start, track.end))
    if track.is_video and track.last_key is not None:
        return start, track.last_key
    return start, max(start, end - round(Fraction(2) / _base(track)))


def _base(track: Track) -> Fraction:
    return track.stream.time_base or Fraction(1, 1_000_000)


def _packets(track: Track, pixels: int, audio_packets: int) -> int:
    """A budget in packets: for video so many that their frames have `pixels` in all."""
    if not isinstance(track.stream, VideoStream):
        return audio_packets
    return max(1, pixels // max(1, track.stream.width * track.stream.height))
