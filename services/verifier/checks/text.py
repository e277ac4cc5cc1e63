"""Text: Unicode to its last character, no page and no error in its place, and JSON that is whole."""

import codecs
import json
import re
from typing import NoReturn

from services.verifier.checks.error_body import TAGS, XML_TAGS, json_says_error
from services.verifier.checks.formats import known_format
from services.verifier.checks.subject import NotApplicable, Refused, Subject, read_at, truncated
from services.verifier.policy import FORMATS, Limits
from shared.messages import Kind
from shared.reasons import Reason

READ_BYTES = 1024 * 1024
CODINGS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
BINARY = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]")
"""U+0085 is a line break; the others of C0 and C1 (ECMA-48) steer a terminal."""

MARKUP = re.compile(
    r"(?>\s*(?:<!--.*?-->\s*)*)(?:<!doctype|<\?xml|</?(?:" + f"{TAGS}|{XML_TAGS}" + r")(?:[\s/>]|\Z)"
    r"|<[a-z][^<>]*\sxmlns(?::[a-z]+)?\s*=)",
    re.IGNORECASE | re.DOTALL,
)
ELEMENT = re.compile(r"\s*<([a-z][\w:.-]{0,99})(?:\s[^<>]*|/)?>", re.IGNORECASE)
TAIL_BYTES = 512
JSON = re.compile(r"\s*(?:\{\s*(?:[\"}]|\Z)|\[\s*(?:[\[{\"\]]|\Z))")
JSON_LINES = re.compile(r"\s*\{[^\n]*\}[ \t\r]*\n\s*\{")


def _no_constant(name: str) -> NoReturn:
    """JSON has no NaN and no Infinity (RFC 8259, section 6)."""
    raise ValueError(name)


DECODER = json.JSONDecoder(parse_constant=_no_constant)


def text_bytes(subject: Subject) -> None:
    """The file is no larger than a text may be."""
    if subject.size > subject.limits.text_bytes:
        raise Refused(Reason.UNSAFE_MEDIA, f"a text of more than {subject.limits.text_bytes} bytes")


def no_other_format(subject: Subject) -> None:
    """The first bytes are not those of another format: such a file is the wrong kind, even where it reads as text."""
    found = known_format(subject)
    looks_binary = BINARY.search(subject.head[:512].decode("latin-1"))
    if found and (looks_binary or found == "pdf") and not subject.head.startswith(tuple(CODINGS)):
        raise Refused(Reason.WRONG_KIND, f"promised text, found {found}")
    subject.kind, subject.format = Kind.TEXT, FORMATS["text"]


def whole_text(subject: Subject) -> None:
    """Every byte belongs to a character of UTF-8, or of UTF-16 with its mark, and none is a control character."""
    coding = next((name for mark, name in CODINGS.items() if subject.head.startswith(mark)), "utf-8")
    decoder = codecs.getincrementaldecoder(coding)("strict")
    subject.file.seek(0)
    try:
        while data := subject.file.read(READ_BYTES):
            _no_control(decoder.decode(data))
    except UnicodeDecodeError:
        raise Refused(Reason.UNDECODABLE, "the file is no text in UTF-8, or in UTF-16 with a mark") from None
    if decoder.getstate()[0]:
        raise truncated("the text ends inside a character")
    subject.found["codecs"] = (coding.removesuffix("-sig"),)


def no_markup(subject: Subject) -> None:
    """The text is no HTML, SVG or other XML, which a browser could run; those are taken only as `other`."""
    start = _text(subject, 4096)
    if MARKUP.match(start) or _is_element(subject, start):
        raise Refused(Reason.NOT_MEDIA, "HTML, SVG and XML are not taken as text, only as other")


def json_text(subject: Subject) -> None:
    """What begins as JSON is JSON to its end, or JSON line by line, inside the limits, and says no error by itself."""
    if JSON.match(_text(subject, 4096)) is None:
        raise NotApplicable
    if subject.size > subject.limits.json_bytes:
        raise Refused(Reason.UNSAFE_MEDIA, f"JSON of more than {subject.limits.json_bytes} bytes")
    text = _text(subject, subject.size)
    if JSON_LINES.match(text):
        for line in filter(str.strip, text.splitlines()):
            _parsed(line, subject.limits)
        subject.note("json_lines")
        return
    value = _parsed(text, subject.limits)
    if json_says_error(value):
        raise Refused(Reason.NOT_MEDIA, "the file is JSON that says an error")
    subject.format = FORMATS["json"]


def _text(subject: Subject, size: int) -> str:
    """The first bytes of the file as text; one of its characters may be cut at the end."""
    subject.file.seek(0)
    return subject.file.read(size).decode(
        "utf-16" if subject.found["codecs"] == ("utf-16",) else "utf-8-sig", "replace"
    )


def _is_element(subject: Subject, start: str) -> bool:
    """Whether the whole text is one element, from its tag to the end of the same name."""
    element = ELEMENT.match(start)
    if element is None:
        return False
    tail = read_at(subject.file, max(0, subject.size - TAIL_BYTES), TAIL_BYTES).replace(b"\0", b"").decode("latin-1")
    is_alone = element[0].endswith("/>") and not start[element.end() :].strip()
    return is_alone or re.search(rf"</{re.escape(element[1])}\s*>\s*\Z", tail) is not None


def _no_control(text: str) -> None:
    if CONTROL.search(text):
        raise Refused(Reason.NOT_MEDIA, "the file holds control characters, so it is no text")


def _parsed(text: str, limits: Limits) -> object:
    try:
        value = DECODER.decode(text)
    except ValueError:
        raise Refused(Reason.UNDECODABLE, "the file begins as JSON and is none") from None
    # Each level takes two characters, so that a short line needs no look.
    if len(text) > 2 * limits.json_depth and _depth(value, limits.json_depth) > limits.json_depth:
        raise Refused(Reason.UNSAFE_MEDIA, f"JSON that is nested more than {limits.json_depth} deep")
    return value


def _depth(value: object, limit: int) -> int:
    """How deep arrays and objects are nested; no deeper than just over the limit is looked at."""
    depth, level = 0, [value]
    while depth <= limit:
        inside = [item.values() if isinstance(item, dict) else item for item in level if isinstance(item, dict | list)]
        if not inside:
            break
        depth, level = depth + 1, [value for values in inside for value in values]
    return depth
