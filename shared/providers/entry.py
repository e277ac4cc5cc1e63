"""One provider's entry: a TOML file, validated."""

import json
from datetime import date
from typing import Annotated, Any, Literal

import jmespath
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from shared.egress import Refused, Target, parse
from shared.lanes import SHARED


def word(value: Any) -> str:
    """A value of a job record as a word: text as it is, anything else as its JSON (`true`, `1002`, `null`)."""
    return value if isinstance(value, str) else json.dumps(value)


def _expression(text: str) -> str:
    jmespath.compile(text)
    return text


def _origin(text: str) -> str:
    try:
        target = parse(text)
    except Refused as refused:
        raise ValueError(f"an origin is written as https://host or https://host:port ({refused})") from None
    if target.path or target.query or "#" in text:
        raise ValueError("an origin has no path")
    return text


def _name(text: str) -> str:
    if text == SHARED:
        raise ValueError(f"`{SHARED}` stands for providers without a file")
    return text


def _template(*names: str) -> AfterValidator:
    def check(text: str) -> str:
        try:
            text.format(**dict.fromkeys(names, ""))
        except (LookupError, ValueError, AttributeError):
            raise ValueError("in braces stands only " + " or ".join(f"{{{name}}}" for name in names)) from None
        return text

    return AfterValidator(check)


JmesPath = Annotated[str, AfterValidator(_expression)]
Words = tuple[Annotated[str, BeforeValidator(word)], ...]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Lives(_Entry):
    """How long things live after the provider's completion, in seconds; absent = unknown."""

    url: float | None = Field(None, gt=0)
    record: float | None = Field(None, gt=0)


class Credential(_Entry):
    """The key of a provider account: the file that holds it, and the header that carries it to the provider's API."""

    header: str = Field(pattern=r"^[A-Za-z0-9-]+$")
    prefix: str = Field("", pattern=r"^[\x20-\x7e]*$")
    file: str = Field(description="File of the key; `{provider_account}` is filled in.")
    origins: tuple[Annotated[str, AfterValidator(_origin)], ...] = Field(
        (), description="Origins of links that are content endpoints: exactly these are shown the key."
    )

    def path(self, provider_account: str) -> str:
        """The file of one account's key."""
        return self.file.replace("{provider_account}", provider_account)

    def is_for(self, target: Target) -> bool:
        """Whether a link needs the key, as it lies on exactly one of the origins."""
        return any(parse(origin).origin == target.origin for origin in self.origins)


class Refresh(_Entry):
    """How a finished job is asked for a fresh link to one of its outputs."""

    method: Literal["GET", "POST"] = "GET"
    url: Annotated[str, _template("job_id", "output_id")] = Field(
        description="Address of the job record; `{job_id}` and `{output_id}` are filled in, quoted."
    )
    status: JmesPath = "status"
    error: JmesPath | None = Field(
        None, description="Code of an error inside a 200; null, false, 0 and empty are none."
    )
    done: Words = ("succeeded",)
    failed: Words = ("failed",)
    filtered: Words = ()
    gone: Words = Field((), description="The provider no longer knows the job.")
    limited: Words = Field((), description="Too many requests.")
    refused: Words = Field((), description="Our key is not accepted.")
    outputs: JmesPath = "outputs"
    output_id: JmesPath | None = Field(None, description="Inside one output; absent: its index from 0.")
    output_url: JmesPath = "url"
    output_error: JmesPath | None = Field(None, description="Inside an output that failed while others did not.")
    output_expires_at: JmesPath | None = None

    def outputs_of(self, record: Any) -> list[Any]:
        """The outputs that a job record names, none if it names none."""
        found = jmespath.search(self.outputs, record)
        return found if isinstance(found, list) else [] if found is None else [found]


class Caps(_Entry):
    """How much of one thing each process may do at once for a provider; absent = no cap of its own."""

    transfers: int | None = Field(None, ge=1)


class Provider(_Entry):
    """What Outlast knows about a provider."""

    name: Annotated[str, AfterValidator(_name)] = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")
    hosts: tuple[str, ...] = Field((), description="Hosts of links: exact, or `.suffix`; empty = any public host.")
    life: Lives = Lives()
    caps: Caps = Caps()
    credential: Credential | None = None
    refresh: Refresh | None = None
    last_checked: date | None = None
    confidence: Literal["high", "medium", "low"] = "low"
