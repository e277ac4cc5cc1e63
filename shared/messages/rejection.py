"""Why an intake body is no event: one word, and what its producer should mend, never any of its content."""

from collections.abc import Iterator
from difflib import get_close_matches
from enum import StrEnum

from pydantic import BaseModel, ValidationError

from shared.messages.events import EVENTS

MOST_FAULTS = 8


class Fault(StrEnum):
    """The words of `event.rejected`."""

    TOO_LARGE = "too_large"
    NOT_UTF8 = "not_utf8"
    NOT_JSON = "not_json"
    DUPLICATE_NAME = "duplicate_name"
    TOO_DEEP = "too_deep"
    BAD_NUMBER = "bad_number"
    WRONG_CONTENT = "wrong_content"
    WRONG_SCHEMA = "wrong_schema"
    FUTURE_SCHEMA = "future_schema"
    BAD_ROUTING_KEY = "bad_routing_key"
    BAD_ACCOUNT = "bad_account"
    NOT_ALLOWED = "not_allowed"
    NOT_INPUT = "not_input"
    UNKNOWN_TASK = "unknown_task"
    ID_CONFLICT = "id_conflict"
    UNSTORABLE = "unstorable"
    REDELIVERED = "redelivered"


class Rejected(Exception):  # noqa: N818
    """An intake body that is no event; `reason` is one word and `detail` never holds the input."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


def describe(error: ValidationError) -> str:
    """The fields of a validation error and what is wrong with each, without any input."""
    parts = []
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    for fault in faults[:MOST_FAULTS]:
        where = ".".join(_part(part) for part in fault["loc"]) or "event"
        parts.append(f"{where}: {fault['msg']}")
    if len(faults) > MOST_FAULTS:
        parts.append(f"and {len(faults) - MOST_FAULTS} more")
    return "; ".join(parts)


def _part(part: int | str) -> str:
    if isinstance(part, int) or part in FIELDS:
        return str(part)
    alike = get_close_matches(part[:64], FIELDS, 1, 0.6)
    return f"(unknown field; did you mean {alike[0]}?)" if alike else "(unknown field)"


def _fields(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield name
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _fields(field.annotation)


FIELDS = frozenset(name for model in EVENTS.values() for name in _fields(model))
"""Every name in an event; only these are repeated to whoever sent another."""
