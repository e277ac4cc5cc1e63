"""One provider's entry: a TOML file, validated."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from shared.egress import Target, parse
from shared.lanes import SHARED
from shared.providers.fields import Address, Entry, JmesPath, Origin
from shared.providers.reading import Reading
from shared.providers.webhook import Webhook

Confidence = Literal["high", "medium", "low"]


def _name(text: str) -> str:
    if text == SHARED:
        raise ValueError(f"`{SHARED}` stands for providers without a file")
    return text


class Lives(Entry):
    """How long things live after the provider's completion, in seconds; absent = unknown."""

    url: float | None = Field(None, gt=0, description="Of a link, in seconds, where nothing in the link tells.")
    record: float | None = Field(None, gt=0, description="Of the job record, in seconds, which a refresh needs.")


class Credential(Entry):
    """The key of a provider account: the file that holds it, and the header that carries it to the provider's API."""

    header: str = Field(pattern=r"^[A-Za-z0-9-]+$", description="Header that carries the key.")
    prefix: str = Field("", pattern=r"^[\x20-\x7e]*$", description="What stands before the key in that header.")
    file: str = Field(description="File of the key; `{provider_account}` is filled in.")
    origins: tuple[Origin, ...] = Field(
        (), description="Origins of links that are content endpoints: exactly these are shown the key."
    )

    def path(self, provider_account: str) -> str:
        """The file of one account's key."""
        return self.file.replace("{provider_account}", provider_account)

    def is_for(self, target: Target) -> bool:
        """Whether a link needs the key, as it lies on exactly one of the origins."""
        return any(parse(origin).origin == target.origin for origin in self.origins)


class Question(Entry):
    """A request to the provider's API, with the key of the provider account."""

    method: Literal["GET", "POST"] = Field("GET", description="How the address is asked.")
    url: Address | None = Field(
        None,
        description="Address; `{job_id}`, `{job_path}` and `{output_id}` are filled in, quoted. "
        "Absent: only the address that the event gave as `record_url` is asked.",
    )
    headers: Mapping[str, str] = Field({}, description="Further headers; none of them is a credential.")
    body: Mapping[str, str] | None = Field(None, description="JSON object to send; the same names are filled in.")


class Poll(Question, Reading):
    """How a job that is not finished is asked for, and how often; seconds count from its start."""

    answer: Literal["json", "head"] = Field(
        "json",
        description="`head`: the answer is the output itself, so only its `status` and `headers` are read.",
    )
    follow: JmesPath | None = Field(None, description="Of a finished job: the address of the record with its outputs.")
    first_seconds: float = Field(5.0, ge=0, description="Until the first question.")
    every_seconds: float = Field(10.0, gt=0, description="Between questions at first; grows with the job's age.")
    most_seconds: float = Field(60.0, gt=0, description="The most between two questions.")
    per_second: float = Field(5.0, gt=0, description="Most questions per second of each process, over all jobs.")


class Refresh(Question, Reading):
    """How a finished job is asked for a fresh link to one of its outputs."""

    follow: JmesPath | None = Field(None, description="Of a finished job: the address of the record with its outputs.")


class Content(Question):
    """How the bytes of an output are had where there is no link to them: from the provider's API, with its key."""

    url: Address = Field(description="Address of the bytes; the same names are filled in as everywhere.")
    base64: str | None = Field(
        None,
        pattern=r"^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+|\[([0-9]+|\{output_id\})\])*$",
        description="Where in a JSON answer the bytes stand in base64: `videos[{output_id}].bytes`; absent: raw bytes.",
    )


class Caps(Entry):
    """How much of one thing each process may do at once for a provider; absent = no cap of its own."""

    transfers: int | None = Field(None, ge=1, description="Most transfers at once, from all hosts of the provider.")


class Fact(Entry):
    """Something that is known of a provider, and how surely; for the documentation."""

    text: str = Field(description="What is known, in a sentence.")
    sure: Literal["documented", "quoted", "secondary", "unverified"] = Field(
        description="Read at the provider; where somebody quotes it; in code or reports of others; or not verified."
    )


class Provider(Entry):
    """What Outlast knows about a provider."""

    name: Annotated[str, AfterValidator(_name)] = Field(
        pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$", description="The `provider` of events, in lower case."
    )
    title: str | None = Field(None, description="Its name for people.")
    hosts: tuple[str, ...] = Field((), description="Hosts of links: exact, or `.suffix`; empty = any public host.")
    life: Lives = Lives()
    caps: Caps = Caps()
    credential: Credential | None = None
    poll: Poll | None = None
    refresh: Refresh | None = None
    content: Content | None = None
    webhook: Webhook | None = None
    facts: tuple[Fact, ...] = ()
    sources: tuple[str, ...] = Field((), description="Pages on which the facts stand.")
    last_checked: date | None = Field(None, description="When somebody last looked whether the facts hold.")
    confidence: Confidence = Field("low", description="How sure the entry is as a whole.")

    @model_validator(mode="after")
    def _has_a_way(self) -> Self:
        for reading in (self.poll, self.webhook):
            if reading and not reading.has_links and not (self.content or self.refresh):
                raise ValueError("has_links = false needs a table [content] or [refresh] that gives the bytes")
        return self
