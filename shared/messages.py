"""The messages of Outlast: the intake event, the hint between stages, and the announcements."""

import json
import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID, uuid5

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError

TASK_NAMESPACE = UUID("6f75746c-6173-5474-a000-7461736b6964")
"""Namespace of task ids: `task_id = UUIDv5(TASK_NAMESPACE, download_key)` (RFC 9562, 5.5)."""

MAX_NAME_BYTES = 512
"""Longest name or id in an event, in bytes of UTF-8, so that any two fit into an index of Postgres."""
MAX_INTAKE_BYTES = 256 * 1024
"""Largest intake body, in bytes."""

UNKNOWN_ACCOUNT = "unknown"
"""Reserved: the account of a rejection whose routing key names none."""
ACCOUNT = re.compile(rf"(?!{UNKNOWN_ACCOUNT}\Z)[a-z0-9][a-z0-9-]{{0,62}}")


class Kind(StrEnum):
    """What an output is."""

    VIDEO = "video"
    IMAGE = "image"
    AUDIO = "audio"
    PDF = "pdf"
    ARCHIVE = "archive"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


def _no_control(text: str) -> str:
    if any(ord(character) < 32 or ord(character) == 127 for character in text):
        raise ValueError("control characters are not allowed")
    if len(text.encode()) > MAX_NAME_BYTES:
        raise ValueError(f"at most {MAX_NAME_BYTES} bytes of UTF-8 are allowed")
    return text


def _unicode(url: SecretStr) -> SecretStr:
    try:
        url.get_secret_value().encode()
    except UnicodeEncodeError:
        raise ValueError("this is no Unicode text") from None
    return url


def _aware(instant: datetime) -> datetime:
    if instant.tzinfo is None:
        raise ValueError("the time needs a zone, for example a final Z")
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        raise ValueError("the time is out of range") from None


Name = Annotated[str, Field(min_length=1, max_length=512), AfterValidator(_no_control)]
Link = Annotated[SecretStr, AfterValidator(_unicode)]
Instant = Annotated[datetime, AfterValidator(_aware)]
Account = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Expected(_Model):
    """What the producer promises about an output; a field left out is not checked."""

    size: int | None = Field(None, ge=0, description="Bytes.")
    sha256: Sha256 | None = None
    duration_seconds: float | None = Field(None, ge=0, allow_inf_nan=False)
    width: int | None = Field(None, ge=1, description="Pixels.")
    height: int | None = Field(None, ge=1, description="Pixels.")
    codecs: tuple[Name, ...] | None = Field(None, max_length=16)
    pages: int | None = Field(None, ge=1)


class OutputReady(_Model):
    """The data of `outlast.output.ready`: one output of a job can be fetched now."""

    provider: Name
    provider_account: Name = "default"
    job_id: Name = Field(description="The provider's id of the job.")
    output_id: Name = Field("0", description="The provider's id of the output, else its index from 0.")
    url: Link | None = Field(None, description="The link; absent where the provider gives the bytes itself.")
    url_expires_at: Instant | None = Field(None, description="When the link ends, if the provider said so.")
    ready_at: Instant | None = Field(None, description="When the provider finished; default: the event's time.")
    kind: Kind | None = Field(None, description="The promised kind; absent: whatever the bytes prove to be.")
    operation_id: Name | None = None
    attempt_id: Name = "1"
    variant: Name | None = None
    retention_class: Literal["original", "master", "derivative", "review_proxy", "temporary"] = "original"
    display_name: Name | None = None
    expected: Expected = Expected()

    @property
    def link(self) -> str | None:
        """The link itself; keep it in memory only."""
        return self.url.get_secret_value() if self.url else None


class OutputReadyEvent(BaseModel):
    """A CloudEvents 1.0 structured-mode envelope of `outlast.output.ready`; further attributes are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    specversion: Literal["1.0"] = "1.0"
    id: Name
    source: Name
    type: Literal["outlast.output.ready"] = "outlast.output.ready"
    time: Instant | None = None
    datacontenttype: Literal["application/json"] = "application/json"
    traceparent: str | None = Field(None, max_length=128)
    data: OutputReady


class ObjectRef(_Model):
    """A reference to bytes in the store, never the bytes."""

    bucket: str
    key: str
    version_id: str | None = None
    size: int
    sha256: str


class Hint(_Model):
    """A wake-up between stages; our services read the row, `object` is for people and tools."""

    task_id: UUID
    object: ObjectRef | None = None
    schema_: Literal[1] = Field(1, alias="schema")

    model_config = ConfigDict(populate_by_name=True, extra="ignore", frozen=True)


class Rejected(Exception):  # noqa: N818
    """An intake body that is no event; `reason` is one word and `detail` never holds the input."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


def parse_intake(body: bytes) -> OutputReadyEvent:
    """Read an intake body. Raises Rejected with reason too_large, not_utf8, not_json or wrong_schema."""
    if len(body) > MAX_INTAKE_BYTES:
        raise Rejected("too_large", f"the body has {len(body)} bytes; the limit is {MAX_INTAKE_BYTES}")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise Rejected("not_utf8", "the body is not UTF-8") from None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise Rejected("not_json", "the body is not JSON") from None
    try:
        return OutputReadyEvent.model_validate(value)
    except ValidationError as error:
        raise Rejected("wrong_schema", describe(error)) from None


def describe(error: ValidationError) -> str:
    """The fields of a validation error and what is wrong with each, without any input."""
    known = OutputReady.model_fields | OutputReadyEvent.model_fields | Expected.model_fields
    parts = []
    for item in error.errors(include_input=False, include_url=False, include_context=False)[:8]:
        where = ".".join(str(p) if p in known or isinstance(p, int) else "(unknown field)" for p in item["loc"])
        parts.append(f"{where or 'event'}: {item['msg']}")
    return "; ".join(parts)


def download_key(account: str, provider: str, provider_account: str, job_id: str, output_id: str) -> str:
    """The identity of an output: who owns it and what the provider calls it, never its URL."""
    return json.dumps([account, provider, provider_account, job_id, output_id], separators=(",", ":"))


def task_id_of(account: str, data: OutputReady) -> UUID:
    """The task id of an output, known to its producer before Outlast has seen it."""
    key = download_key(account, data.provider, data.provider_account, data.job_id, data.output_id)
    return uuid5(TASK_NAMESPACE, key)


def cloud_event(kind: str, event_id: str, subject: str, data: dict[str, Any]) -> bytes:
    """A CloudEvents 1.0 JSON body from Outlast itself."""
    envelope = {
        "specversion": "1.0",
        "id": event_id,
        "source": "outlast",
        "type": kind,
        "subject": subject,
        "time": datetime.now(UTC).isoformat(),
        "datacontenttype": "application/json",
        "data": data,
    }
    return json.dumps(envelope, ensure_ascii=False).encode()
