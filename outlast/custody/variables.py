"""How far an examination and a sweep go, by `OUTLAST_*` variables."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_settings import NoDecode

from outlast.surroundings import Variables


class ProbeVariables(Variables):
    """As for the verifier: the limits, what is accepted without a decoder, and where the copies lie meanwhile."""

    probe_seconds: float = Field(60.0, gt=0)
    probe_memory_bytes: int = Field(2**30, gt=0)
    accept_undecoded: Annotated[tuple[Literal["heic", "jxl"], ...], NoDecode] = ()
    work_dir: Path | None = None

    @field_validator("accept_undecoded", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


class SweepVariables(Variables):
    """The buckets that a sweep looks at, and the grace time of what came to its end, in seconds."""

    staging_bucket: str = "outlast-staging"
    assets_bucket: str = "outlast-assets"
    sweep_grace_seconds: float = Field(86400.0, gt=0)
