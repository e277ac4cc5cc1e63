"""Ogg files page by page: whole to the last page."""

from services.verifier.checks.subject import Refused, Subject, read_at, truncated
from shared.reasons import Reason

HEADER_BYTES, MOST_SEGMENTS = 27, 255
LAST_PAGE = 4


def whole_ogg(subject: Subject) -> None:
    """The pages follow each other up to the end; more bytes are allowed only after a page that is marked as last."""
    position = pages = flags = 0
    while position < subject.size:
        page = read_at(subject.file, position, HEADER_BYTES + MOST_SEGMENTS)
        if page[:4] != b"OggS"[: len(page)]:
            return _ended(subject, position, flags)
        segments = page[HEADER_BYTES : HEADER_BYTES + page[26]] if len(page) > 26 else b""
        position += HEADER_BYTES + len(segments) + sum(segments)
        if position > subject.size or len(page) < HEADER_BYTES + page[26]:
            raise truncated("the last Ogg page is not complete")
        flags, pages = page[5], pages + 1
        if pages > subject.limits.boxes:
            raise Refused(Reason.UNSAFE_MEDIA, "the file has too many pages")
    if not flags & LAST_PAGE:
        subject.note("no_end_mark")
    return None


def _ended(subject: Subject, position: int, flags: int) -> None:
    if not flags & LAST_PAGE:
        raise Refused(Reason.UNDECODABLE, "the file is not a chain of Ogg pages")
    subject.ends_at(position)
