"""Video and audio by PyAV: every container and codec that is accepted, and some that are not."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import av
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

RATE = 24
SAMPLE_RATE = 48000
Options = tuple[tuple[str, str], ...]


@cache
def video(
    container: str = "mp4",
    codec: str = "libx264",
    *,
    seconds: float = 2.0,
    size: tuple[int, int] = (128, 96),
    audio: str | None = None,
    pixels: str = "yuv420p",
    muxing: Options = (),
    coding: Options = (),
    rotation: int = 0,
) -> bytes:
    """A clip with a moving pattern."""

    def fill(output: OutputContainer) -> None:
        pictures = output.add_stream(codec, rate=RATE, options=dict(coding))
        assert isinstance(pictures, VideoStream)
        pictures.width, pictures.height, pictures.pix_fmt = *size, pixels
        if rotation:
            pictures.set_display_rotation(rotation)
        tone = output.add_stream(audio, rate=SAMPLE_RATE) if audio else None
        for number in range(round(seconds * RATE)):
            output.mux(pictures.encode(_picture(number, *size)))
        output.mux(pictures.encode(None))
        if isinstance(tone, AudioStream):
            _write_tone(output, tone, seconds)

    return _made(container, muxing, fill)


@cache
def sound(container: str = "mp3", codec: str = "libmp3lame", *, seconds: float = 2.0, muxing: Options = ()) -> bytes:
    """A tone."""

    def fill(output: OutputContainer) -> None:
        stream = output.add_stream(codec, rate=SAMPLE_RATE)
        assert isinstance(stream, AudioStream)
        _write_tone(output, stream, seconds)

    return _made(container, muxing, fill)


def _made(container: str, muxing: Options, fill: Callable[[OutputContainer], None]) -> bytes:
    """A file as FFmpeg writes it; some muxers read it again, so it has to have a name."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "made"
        with av.open(str(path), "w", format=container, options=dict(muxing)) as output:
            fill(output)
        return path.read_bytes()


def _picture(number: int, width: int, height: int) -> VideoFrame:
    """A gradient that moves."""
    line = bytes((x * 3 + number * 5) % 256 for x in range(width * 3))
    frame = VideoFrame(width, height, "rgb24")
    plane = frame.planes[0]
    rows = (line[y % 64 :] + line[: y % 64] for y in range(height))
    plane.update(b"".join(row.ljust(plane.line_size, b"\0") for row in rows))
    frame.pts, frame.time_base = number, Fraction(1, RATE)
    return frame


def _write_tone(output: OutputContainer, stream: AudioStream, seconds: float) -> None:
    samples, position = round(seconds * SAMPLE_RATE), 0
    while position < samples:
        count = min(1024, samples - position)
        frame = AudioFrame(format="s16", layout="mono", samples=count)
        values = ((position + n) * 440 * 256 // SAMPLE_RATE % 256 * 64 for n in range(count))
        frame.planes[0].update(b"".join(value.to_bytes(2, "little") for value in values))
        frame.sample_rate, frame.pts, frame.time_base = SAMPLE_RATE, position, Fraction(1, SAMPLE_RATE)
        output.mux(stream.encode(frame))
        position += count
    output.mux(stream.encode(None))
