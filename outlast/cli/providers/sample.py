"""A saved answer of a provider, as `outlast providers test` is given it."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from outlast.cli.providers.options import Table
from shared.errors import UsageError
from shared.messages import Rejected, parse_json
from shared.providers import Provider
from shared.providers.asking import RECORD_BYTES
from shared.providers.report import DEEPEST


def document_of(entry: Provider, table: Table, sample: str | None, status: int | None, headers: Sequence[str]) -> Any:
    """What the table reads. Raises UsageError for what is not there, cannot be read, or is no JSON."""
    if table is Table.POLL and entry.poll and entry.poll.answer == "head":
        if status is None or sample is not None:
            raise UsageError(
                "This poll reads status and headers alone: give --status 200, and each --header NAME:VALUE."
            )
        return {"status": status, "headers": dict(map(_header, headers))}
    if status is not None or headers:
        raise UsageError('--status and --header are for a poll with answer = "head"; here the body counts.')
    if sample is None:
        raise UsageError("Give --sample FILE with a saved answer, or - for standard input.")
    return _webhook(_bytes(sample)) if table is Table.WEBHOOK else _json(_bytes(sample))


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise UsageError("A --header is written as NAME:VALUE.")
    return name.strip().lower(), value.strip()


def _bytes(sample: str) -> bytes:
    try:
        with sys.stdin.buffer if sample == "-" else Path(sample).open("rb") as file:
            body = file.read(RECORD_BYTES + 1)
    except OSError as error:
        raise UsageError(f"The sample cannot be read: {error.strerror}.") from None
    if len(body) > RECORD_BYTES:
        raise UsageError(f"The sample is longer than the {RECORD_BYTES:,} bytes that Outlast reads of an answer.")
    return body


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except json.JSONDecodeError as error:
        raise UsageError(f"The sample is not JSON: {error.msg}, line {error.lineno}, column {error.colno}.") from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"The sample is not JSON that can be read: {type(error).__name__}.") from None


def _webhook(body: bytes) -> Any:
    """As the door reads it, which is stricter than what an answer of the provider must be."""
    try:
        return parse_json(body, len(body), DEEPEST)
    except Rejected as rejected:
        raise UsageError(
            f"The sample is no webhook that would be read: {rejected.detail} ({rejected.reason})."
        ) from None
