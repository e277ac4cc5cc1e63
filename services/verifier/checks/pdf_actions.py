"""What acts in a dictionary of a PDF: scripts, players, actions that need no press, links to programs, outside data."""

import re
from collections.abc import Iterator

from pypdf.generic import (
    ArrayObject,
    ByteStringObject,
    DictionaryObject,
    NameObject,
    PdfObject,
    StreamObject,
    TextStringObject,
)

from services.verifier.checks.pdf_streams import entry
from services.verifier.checks.subject import Refused
from shared.reasons import Reason

KEYS = frozenset({"/JS", "/JavaScript", "/XFA", "/RichMediaContent"})
ACTIONS = frozenset({"/JavaScript", "/Launch", "/ImportData", "/RichMediaExecute"})
PLAYERS = frozenset({"/RichMedia", "/Movie", "/Screen", "/3D", "/Sound"})
"""Annotations that play something (ISO 32000-1, 12.5.6.1)."""

EVENTS = (
    *("/E", "/X", "/D", "/U", "/Fo", "/Bl", "/PO", "/PC", "/PV", "/PI"),
    *("/O", "/C", "/K", "/F", "/V", "/WC", "/WS", "/DS", "/WP", "/DP"),
)
"""What may stand under `/AA` (ISO 32000-1, 12.6.3); other dictionaries of this name belong to fonts and the like."""

TURNS = frozenset({"/NextPage", "/PrevPage", "/FirstPage", "/LastPage"})
SCHEMES = frozenset({"http", "https", "mailto", "tel"})
SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):")
HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+:[0-9]+(/|$)")
"""A host and a port, where a writer left out the scheme."""

UNSEEN = re.compile(r"[\x00-\x20\x7f]+")
MOST_STEPS = 100


def activity(value: DictionaryObject) -> str | None:
    """What in this dictionary acts, in words of ours; None for nothing."""
    named = _named(value)
    if named is not None:
        return named
    for step in _unasked(value):
        if not _turns_pages(step):
            return _named(step) or "an action of the PDF needs no press and does more than turn pages"
    if not all(_harmless(entry(value, key)) for key in ("/URI", "/Base")):
        return "a link of the PDF leads to something else than the web, a mail or a telephone"
    if isinstance(value, StreamObject) and _names_file(entry(value, "/F")):
        return "a stream of the PDF lies in another file"
    return None


def _named(value: DictionaryObject) -> str | None:
    """What is active by its name alone."""
    names = [*KEYS.intersection(value), *ACTIONS.intersection([name_of(value, "/S")])]
    names += PLAYERS.intersection([name_of(value, "/Subtype")])
    return f"the PDF holds {min(names).removeprefix('/')}" if names else None


def name_of(value: DictionaryObject, key: str) -> str:
    """The name under a key; empty where there is none."""
    found = entry(value, key)
    return str(found) if isinstance(found, NameObject) else ""


def _unasked(value: DictionaryObject) -> Iterator[DictionaryObject]:
    """The actions that run by themselves or by an event, each with those that follow."""
    events = entry(value, "/AA")
    waiting = [entry(value, "/OpenAction")]
    if isinstance(events, DictionaryObject):
        waiting += [entry(events, event) for event in EVENTS]
    for _ in range(MOST_STEPS):
        if not waiting:
            return
        step = waiting.pop()
        if isinstance(step, DictionaryObject) and "/S" in step:
            yield step
            after = entry(step, "/Next")
            waiting += [item.get_object() for item in after] if isinstance(after, ArrayObject) else [after]
    raise Refused(Reason.UNSAFE_MEDIA, "too many actions follow one another")


def _turns_pages(action: DictionaryObject) -> bool:
    name = name_of(action, "/S")
    return name == "/GoTo" or (name == "/Named" and name_of(action, "/N") in TURNS)


def _harmless(link: PdfObject | None) -> bool:
    """Whether a link has an allowed scheme or none; spaces and control characters hide nothing."""
    if not isinstance(link, TextStringObject | ByteStringObject):
        return True
    text = link if isinstance(link, str) else link.decode("latin-1")
    text = UNSEEN.sub("", text).lower()
    scheme = SCHEME.match(text)
    return scheme is None or scheme[1] in SCHEMES or HOST.match(text) is not None


def _names_file(value: PdfObject | None) -> bool:
    return isinstance(value, TextStringObject | ByteStringObject | DictionaryObject)
