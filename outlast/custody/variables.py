"""How far an examination goes, by the same `OUTLAST_*` variables as for the verifier."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_settings import NoDecode

from outlast.surroundings import Variables


class ProbeVariables(Variables):
    """The limits of one examination, what is accepted without a decoder, and where the copies lie meanwhile."""

    probe_seconds: float = Field(60.0, gt=0)
    probe_memory_bytes: int = Field(2**30, gt=0)
    accept_undecoded: Annotated[tuple[Literal["heic", "jxl"], ...], NoDecode] = ()
    work_dir: Path | None = None

    @field_validator("accept_undecoded", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value
