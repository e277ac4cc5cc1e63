"""The fields that messages are made of, each with its bound."""

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

MAX_NAME_BYTES = 512
"""Longest name or id in an event, in bytes of UTF-8, so that any two fit into an index of Postgres."""
MAX_TEXT_BYTES = 2048
"""Longest free text in an event, in bytes of UTF-8."""
MAX_KEY_BYTES = 1024
"""Longest key of an object, in bytes of UTF-8, as in S3."""
MAX_BYTES = 2**63 - 1
"""Largest size in bytes that a message may state."""
MAX_COUNT = 2**31 - 1
"""Largest number of pixels or pages that a message may state."""

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
    TEXT = "text"
    OTHER = "other"


class Model(BaseModel):
    """What all parts of an event have in common: unknown fields are refused, and errors hold no input."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


def within(text: str, limit: int) -> str:
    """The text, if its UTF-8 has at most `limit` bytes. Raises ValueError, also for what is no Unicode text."""
    try:
        length = len(text.encode())
    except UnicodeEncodeError:
        raise ValueError("this is no Unicode text") from None
    if length > limit:
        raise ValueError(f"at most {limit} bytes of UTF-8 are allowed")
    return text


def no_control(text: str) -> str:
    """The text, if it has no control character. Raises ValueError."""
    if any(ord(character) < 32 or ord(character) == 127 for character in text):
        raise ValueError("control characters are not allowed")
    return text


def readable(text: str) -> str:
    """The text, if it has no control character but tabs and line ends. Raises ValueError."""
    no_control(text.translate({9: " ", 10: " ", 13: " "}))
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


def _name(text: str) -> str:
    return within(no_control(text), MAX_NAME_BYTES)


def _key(text: str) -> str:
    return within(no_control(text), MAX_KEY_BYTES)


def _text(text: str) -> str:
    return within(readable(text), MAX_TEXT_BYTES)


Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_BYTES), AfterValidator(_name)]
Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT_BYTES), AfterValidator(_text)]
Key = Annotated[str, Field(min_length=1, max_length=MAX_KEY_BYTES), AfterValidator(_key)]
Bucket = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$")]
Link = Annotated[SecretStr, AfterValidator(_unicode)]
Instant = Annotated[datetime, AfterValidator(_aware)]
Account = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Bytes = Annotated[int, Field(ge=0, le=MAX_BYTES)]
Count = Annotated[int, Field(ge=1, le=MAX_COUNT)]
RetentionClass = Literal["original", "master", "derivative", "review_proxy", "temporary"]
