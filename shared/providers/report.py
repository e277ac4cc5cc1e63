"""What a job record says, by its provider's entry: how far the job is, and what became of each output."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

from shared.providers.fields import word
from shared.providers.reading import Reading

LATEST_EPOCH = 253_402_300_799
"""The last second of the year 9999, the latest that a time can say."""
MOST_WORDS = 200
"""Characters that are kept of what a provider says."""
MOST_OUTPUTS = 1000
"""Outputs of one job that are read; further ones are told in the notes."""
DEEPEST = 64
"""Levels of a record into which links are looked for."""
LINKS = ("https://", "http://", "data:")

_NOTHING = frozenset({"", "0", "null", "false", "[]", "{}"})


class Unreadable(Exception):  # noqa: N818
    """The entry's expressions cannot be applied to this record; the text names the kind of fault, nothing of it."""


class Said(StrEnum):
    """What a record's words mean."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    FILTERED = "filtered"
    GONE = "gone"
    LIMITED = "limited"
    REFUSED = "refused"
    ERROR = "error"
    """An error that the entry gives no meaning."""
    UNKNOWN = "unknown"
    """A status that the entry gives no meaning: the job may still be at work."""


@dataclass(frozen=True)
class Output:
    """One output of a job; `link` is a credential. Without a link and with `code` or `message` it failed."""

    output_id: str
    link: str | None = field(default=None, repr=False)
    expires_at: datetime | None = None
    kind: str | None = None
    code: str | None = None
    message: str | None = None

    @property
    def has_failed(self) -> bool:
        """Whether the provider says that this output failed."""
        return self.link is None and (self.code, self.message) != (None, None)


@dataclass(frozen=True)
class Report:
    """A job record, read; `word` is its own word for `said`, at most 200 characters."""

    said: Said
    word: str
    job_id: str | None
    model: str | None
    completed_at: datetime | None
    code: str | None
    message: str | None
    outputs: tuple[Output, ...]
    notes: tuple[str, ...]
    """What was passed over, without a word of it."""


def read(entry: Reading, record: Any) -> Report:
    """Read a job record. Raises Unreadable for one to which the entry cannot be applied."""
    try:
        return _report(entry, record)
    except (JMESPathError, UnicodeError, ValueError, OverflowError, RecursionError, TypeError) as error:
        fault = type(error).__name__
    # Out here it does not lead back to the error, which holds a part of the record.
    raise Unreadable(fault)


def _report(entry: Reading, record: Any) -> Report:
    said, told = _said(entry, record)
    notes: list[str] = []
    return Report(
        said=said,
        word=told[:MOST_WORDS],
        job_id=_name(entry.job_id, record),
        model=_name(entry.model, record),
        completed_at=instant(_found(entry.completed_at, record)),
        code=_words(entry.code, record) or (told[:MOST_WORDS] if said is Said.ERROR else None),
        message=_words(entry.message, record),
        outputs=tuple(_outputs(entry, record, notes)) if said is Said.DONE else (),
        notes=tuple(notes),
    )


def _said(entry: Reading, record: Any) -> tuple[Said, str]:
    error, status = word(_found(entry.error, record)), _found(entry.status, record)
    meanings = {
        Said.FILTERED: entry.filtered,
        Said.FAILED: entry.failed,
        Said.GONE: entry.gone,
        Said.LIMITED: entry.limited,
        Said.REFUSED: entry.refused,
    }
    if error not in _NOTHING:
        return next(((said, error) for said, words in meanings.items() if error in words), (Said.ERROR, error))
    told = word(status)
    if _is_true(entry.filtered_if, record):
        return Said.FILTERED, told
    if _is_true(entry.failed_if, record):
        return Said.FAILED, told
    # With an expression for errors, a record with neither error nor status is one of no job.
    if status is None and entry.error and told not in entry.running:
        return Said.GONE, told
    meanings |= {Said.DONE: entry.done, Said.RUNNING: entry.running}
    return next(((said, told) for said, words in meanings.items() if told in words), (Said.UNKNOWN, told))


def _outputs(entry: Reading, record: Any, notes: list[str]) -> Iterator[Output]:
    found = _found(entry.outputs, record)
    common = instant(_found(entry.expires_at, record))
    if entry.any_shape:
        listed: list[Any] = list(_links(found, notes))
    else:
        listed = found if isinstance(found, list) else [] if found is None else [found]
    if len(listed) > MOST_OUTPUTS:
        notes.append(f"{len(listed) - MOST_OUTPUTS} outputs over {MOST_OUTPUTS} are not read")
    for index, output in enumerate(listed[:MOST_OUTPUTS]):
        yield _output(entry, output, index, common, notes)


def _output(entry: Reading, output: Any, index: int, common: datetime | None, notes: list[str]) -> Output:
    named = _found(entry.output_id, output) if entry.output_id and not entry.any_shape else index
    link = output if entry.any_shape else _found(entry.output_url, output) if entry.has_links else None
    failed = (_words(entry.output_error, output), _words(entry.output_message, output))
    if entry.has_links and failed == (None, None) and not _is_link(link):
        notes.append(f"output {index} is no link" if link else f"output {index} has no link")
    ends = [end for end in (instant(_found(entry.output_expires_at, output)), common) if end]
    # What is a text but no link is for the guard to refuse, where everybody sees it.
    has_link = isinstance(link, str) and bool(link.encode())
    return Output(
        output_id=word(named if named is not None else index),
        link=str(link) if has_link else None,
        expires_at=min(ends, default=None),
        kind=_name(entry.output_kind, output),
        code=None if has_link else failed[0],
        message=None if has_link else failed[1],
    )


def _links(value: Any, notes: list[str], depth: int = 0) -> Iterator[str]:
    """Every link in a value of any shape, in its order."""
    if isinstance(value, str):
        if _is_link(value):
            yield value
        else:
            notes.append("a text in the output is no link")
    elif isinstance(value, list | dict) and depth < DEEPEST:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _links(item, notes, depth + 1)
    elif value is not None:
        notes.append("a value in the output is no link")


def _is_link(value: Any) -> bool:
    # Encoded here, so that what is no Unicode text is a fault of the record and not of whoever takes the link.
    return isinstance(value, str) and value[:8].lower().startswith(LINKS) and bool(value.encode())


def _found(expression: str | None, value: Any) -> Any:
    return jmespath.search(expression, value) if expression else None


def _is_true(expression: str | None, record: Any) -> bool:
    return word(_found(expression, record)) not in _NOTHING


def _name(expression: str | None, value: Any) -> str | None:
    found = _found(expression, value)
    return None if found in (None, "") or isinstance(found, list | dict) else word(found)


def _words(expression: str | None, value: Any) -> str | None:
    found = word(_found(expression, value))
    return None if found in _NOTHING else found[:MOST_WORDS]


def instant(value: Any) -> datetime | None:
    """A time as providers write it: unix seconds, milliseconds, or ISO 8601; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            parsed = datetime.fromisoformat(value)
            return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        except (ValueError, OverflowError):
            return None
    if isinstance(value, int | float):
        seconds = value / 1000 if value >= 1e11 else value
        return datetime.fromtimestamp(seconds, UTC) if 0 < seconds < LATEST_EPOCH else None
    return None
