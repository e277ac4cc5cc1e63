"""An opened container and its video and audio tracks, with what was learnt of them."""

from dataclasses import dataclass, field
from fractions import Fraction

from av.audio.stream import AudioStream
from av.container import InputContainer
from av.video.codeccontext import VideoCodecContext
from av.video.stream import VideoStream


@dataclass
class Track:
    """One stream with what its packets told: how many, how many frames, first and last instant in seconds."""

    stream: VideoStream | AudioStream
    second: VideoCodecContext | None = None
    """A second decoder that has to agree."""
    budget: int = 0
    """Packets that are decoded from the start."""
    packets: int = 0
    decoded: int = 0
    rotation: int = 0
    """Degrees to turn a picture for display."""
    start: Fraction | None = None
    end: Fraction = Fraction(0)
    gap: Fraction = Fraction(0)
    """Longest step from one packet to the next, in seconds."""
    first_key: int | None = None
    last_key: int | None = None
    """Timestamps of the first and the last key frame, in the stream's time base."""
    last_dts: int | None = None
    steps: tuple[int, int] = (0, 0)
    """Shortest and longest step between two packets in decoding order, in the stream's time base."""
    is_cut: bool = False
    """Whether the stream begins in the middle of what the encoder made."""
    leftovers: int = 0
    """Pictures at such a cut that did not decode."""

    @property
    def base(self) -> Fraction:
        """Seconds of one unit of the stream's timestamps."""
        return self.stream.time_base or Fraction(1, 1_000_000)

    @property
    def is_video(self) -> bool:
        """Whether this is a video stream."""
        return isinstance(self.stream, VideoStream)


@dataclass
class Media:
    """An opened container, its video and audio tracks, the main one first, and where its last packet ends."""

    container: InputContainer
    tracks: list[Track] = field(default_factory=list)
    end: Fraction = Fraction(0)

    def close(self) -> None:
        """Let go of the decoders and the file."""
        self.container.close()
