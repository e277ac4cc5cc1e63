"""What the first bytes say: the format of a file, or what stands in place of media."""

import json
import re

import filetype

from services.verifier.checks.error_body import PAGE, json_is_error
from services.verifier.checks.formats import OLE, PACKED, format_of, known_format
from services.verifier.checks.subject import HEAD_BYTES, NotApplicable, Refused, Subject
from services.verifier.policy import FORMATS
from shared.messages import Kind
from shared.reasons import Reason

TEXT = re.compile(rb"[\t\n\r\x0c\x20-\x7e\x80-\xff]*")
ERRORS = {"an HTML page", "XML that says an error", "JSON that says an error"}
"""What is an error also where text, or bytes of any sort, were promised."""
JSON_ERROR = re.compile(rb"\{\s*\"errors?\"\s*:\s*+(?!null|false|0|\"\"|\[\s*\]|\{\s*\})")
XML_ERROR = re.compile(rb"(?>(?:<\?[^>]*>|<!--.*?-->|\s)*)<error", re.DOTALL)
REFUSED = {
    **{start: f"{what}; only ZIP archives are accepted" for start, what in PACKED.items()},
    OLE: "is an old office file (OLE), which may hold macros and so is not accepted",
    b"\x7fELF": "is a program (ELF), which is not accepted",
    b"MZ": "is a program (PE), which is not accepted",
}
"""Known signatures that are refused, and what to say of them."""


def not_empty(subject: Subject) -> None:
    """The file holds at least one byte."""
    if subject.size == 0:
        raise Refused(Reason.NOT_MEDIA, "the file is empty")


def no_error_body(subject: Subject) -> None:
    """The file is no page or text, such as a server sends in place of media; SVG counts as text.

    Where text or bytes of any sort were promised, only an HTML page, and XML or JSON that says an error, is refused.
    """
    what = _text_kind(subject.head)
    if what in ERRORS or (what is not None and subject.promised not in {Kind.TEXT, Kind.OTHER}):
        raise Refused(Reason.NOT_MEDIA, f"the file is {what}")


def signature(subject: Subject) -> None:
    """The first bytes are those of an accepted format."""
    found = known_format(subject)
    if found is None:
        raise Refused(Reason.NOT_MEDIA, f"the file {_seen(subject.head)}")
    subject.format = FORMATS[found]
    if not subject.format.is_media:
        subject.kind = next(iter(subject.format.types))


def promised_kind(subject: Subject) -> None:
    """The kind is the promised one, when one was promised."""
    if subject.promised is None:
        raise NotApplicable
    if subject.kind is not subject.promised:
        raise Refused(Reason.WRONG_KIND, f"promised {subject.promised}, found {subject.kind}")


def _seen(head: bytes) -> str:
    """What a file looks like that has no accepted format."""
    known = next((what for start, what in REFUSED.items() if head.startswith(start)), None)
    guess = None if known else filetype.guess(head)
    return known or f"{f'looks like {guess.mime}' if guess else 'has no known signature'}, which is not accepted"


def _text_kind(head: bytes) -> str | None:
    """What kind of text a file is; None if it is no text."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "replace").encode()
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith(b"<"):
        return _markup(text[:1024])
    if text.startswith((b"{", b"[")):
        return "JSON that says an error" if JSON_ERROR.match(text) or _is_error(text) else "JSON text"
    return "plain text" if TEXT.fullmatch(head) and format_of(head) is None else None


def _is_error(text: bytes) -> bool:
    """Whether a short file is JSON that says an error and nothing else."""
    try:
        return len(text) < HEAD_BYTES and json_is_error(json.loads(text))
    except (ValueError, RecursionError):
        return False


def _markup(text: bytes) -> str:
    if PAGE.match(text.decode("latin-1")):
        return "an HTML page"
    if b"<svg" in text:
        return "an SVG drawing"
    if b"<html" in text or b"<!doctype html" in text:
        return "an HTML page"
    return "XML that says an error" if XML_ERROR.match(text) else "XML text"
