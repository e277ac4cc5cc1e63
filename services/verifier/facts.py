"""What an examination finds: the facts of a proven file, or the reason why it is refused."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from shared.messages import Kind
from shared.reasons import Reason

REASONS = frozenset(
    {
        Reason.NOT_MEDIA,
        Reason.WRONG_KIND,
        Reason.UNDECODABLE,
        Reason.ENCRYPTED,
        Reason.UNSAFE_MEDIA,
        Reason.ACTIVE_CONTENT,
        Reason.PROBE_TIMEOUT,
    }
)
"""The only reasons that an examination may give."""

MAX_ANSWER_BYTES = 32 * 1024
"""Largest verdict, as one JSON line, in bytes."""

Word = Annotated[str, Field(max_length=100, pattern=r"^[a-z0-9][a-z0-9+._/-]*$")]
Text = Annotated[str, Field(max_length=200, pattern=r"^[\x20-\x7e]*$")]
Count = Annotated[int, Field(ge=0)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Facts(_Model):
    """What a file proved to be; a field that has no meaning for its kind is null."""

    kind: Kind
    content_type: Word = Field(description="Detected from the bytes, never taken from a header.")
    declared_type: Text | None = Field(None, description="What the source called it; only compared.")
    extension: Word
    container: Word = Field(description="Name of the file format.")
    duration_seconds: float | None = Field(None, ge=0, allow_inf_nan=False)
    duration_source: Literal["container", "packets", "frames"] | None = None
    width: Count | None = Field(None, description="Pixels, as coded.")
    height: Count | None = Field(None, description="Pixels, as coded.")
    rotation: Literal[0, 90, 180, 270] | None = Field(None, description="Degrees to turn for display.")
    frames: Count | None = Field(None, description="Pictures in the file: video packets, or image frames.")
    frame_rate: float | None = Field(None, ge=0, allow_inf_nan=False, description="Pictures per second.")
    step_seconds: float | None = Field(
        None, ge=0, allow_inf_nan=False, description="Longest time from one packet of the main stream to the next."
    )
    frames_decoded: Count | None = Field(None, description="Video and audio frames that were decoded.")
    pixel_format: Word | None = Field(None, description="Of the main picture stream, by FFmpeg's name.")
    color_transfer: Word | None = Field(None, description="Of a video, by FFmpeg's name.")
    is_hdr: bool | None = Field(None, description="Whether a video's transfer function is PQ or HLG.")
    has_alpha: bool | None = Field(None, description="Whether the pictures of a video can be transparent.")
    video_tracks: Count | None = None
    audio_tracks: Count | None = None
    other_tracks: Count | None = Field(None, description="Subtitles, data, cover pictures: not decoded.")
    codecs: tuple[Word, ...] = Field((), max_length=64)
    has_audio: bool | None = None
    sample_rate: Count | None = Field(None, description="Hertz.")
    channels: Count | None = None
    pages: Count | None = None
    entries: Count | None = Field(None, description="Files in an archive.")
    unpacked_bytes: Count | None = Field(None, description="Bytes of an archive's content, unpacked.")
    notes: tuple[Word, ...] = Field((), max_length=32, description="Oddities that are no fault.")
    checks: tuple[Word, ...] = Field((), max_length=32, description="Names of the passed checks, in order.")
    not_applicable: tuple[Word, ...] = Field((), max_length=32, description="Checks that do not concern this file.")


class Verdict(_Model):
    """The end of an examination: `facts` of an accepted file, else `reason`, `check` and `detail`."""

    facts: Facts | None = None
    reason: Reason | None = None
    check: Word | None = Field(None, description="The check that refused the file.")
    detail: Text = Field("", description="What was seen, in words; never content of the file.")
    verifier_version: Text = Field("", description="Versions of the policy and of the libraries that judged.")
    peak_bytes: Count | None = Field(None, description="Most memory that the examination held, libraries among it.")

    @property
    def accepted(self) -> bool:
        """Whether the file is proven."""
        return self.facts is not None

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.facts is None) == (self.reason is None):
            raise ValueError("a verdict has either facts or a reason")
        if self.reason is not None and self.reason not in REASONS:
            raise ValueError("an examination cannot give this reason")
        return self
