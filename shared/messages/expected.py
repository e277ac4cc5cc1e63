"""What a producer promises about an output."""

from pydantic import Field

from shared.messages.fields import Bytes, Count, Model, Name, Sha256


class Expected(Model):
    """What the producer promises about an output; a field left out is not checked.

    `strict` takes the tolerances away: dimensions to the pixel, the duration to one frame or packet, these codecs and
    no others, and a type declared by the source that is the detected one.
    """

    size: Bytes | None = Field(None, description="Bytes.")
    sha256: Sha256 | None = None
    duration_seconds: float | None = Field(None, ge=0, le=1e9, allow_inf_nan=False)
    width: Count | None = Field(None, description="Pixels.")
    height: Count | None = Field(None, description="Pixels.")
    codecs: tuple[Name, ...] | None = Field(None, max_length=16)
    pages: Count | None = None
    strict: bool = Field(False, description="Whether the promises hold to the letter.")
