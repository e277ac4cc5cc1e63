"""One provider's entry: a TOML file, validated."""

from datetime import date
from typing import Annotated, Any, Literal

import jmespath
from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _expression(text: str) -> str:
    jmespath.compile(text)
    return text


JmesPath = Annotated[str, AfterValidator(_expression)]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Lives(_Entry):
    """How long things live after the provider's completion, in seconds; absent = unknown."""

    url: float | None = Field(None, gt=0)
    record: float | None = Field(None, gt=0)


class Refresh(_Entry):
    """How a finished job is asked for a fresh link to one of its outputs."""

    method: Literal["GET", "POST"] = "GET"
    url: str = Field(description="Address of the job record; `{job_id}` and `{output_id}` are filled in, quoted.")
    credential_header: str | None = None
    credential_prefix: str = ""
    credential_file: str | None = Field(None, description="File of the key; `{provider_account}` is filled in.")
    status: JmesPath = "status"
    done: tuple[str, ...] = ("succeeded",)
    failed: tuple[str, ...] = ("failed",)
    filtered: tuple[str, ...] = ()
    outputs: JmesPath = "outputs"
    output_id: JmesPath | None = Field(None, description="Inside one output; absent: its index from 0.")
    output_url: JmesPath = "url"
    output_expires_at: JmesPath | None = None

    def outputs_of(self, record: Any) -> list[Any]:
        """The outputs that a job record names, none if it names none."""
        found = jmespath.search(self.outputs, record)
        return found if isinstance(found, list) else [] if found is None else [found]


class Provider(_Entry):
    """What Outlast knows about a provider."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")
    hosts: tuple[str, ...] = Field((), description="Hosts of links: exact, or `.suffix`; empty = any public host.")
    life: Lives = Lives()
    refresh: Refresh | None = None
    last_checked: date | None = None
    confidence: Literal["high", "medium", "low"] = "low"
