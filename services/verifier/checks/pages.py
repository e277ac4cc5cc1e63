"""Ogg pages and ADTS frames: whole to the last one."""

from services.verifier.checks.subject import Refused, Subject, read_at, truncated
from shared.reasons import Reason

LAST_PAGE = 4
OGG_TAIL = 2 * 65307
"""Bytes in which the last page must start: two pages of the largest size."""


def whole_ogg(subject: Subject) -> None:
    """The last Ogg page is complete; a stream without an end mark is noted."""
    start = max(0, subject.size - OGG_TAIL)
    tail = read_at(subject.file, start, OGG_TAIL)
    at = tail.rfind(b"OggS")
    if at < 0:
        raise truncated("the last part of the file has no Ogg page")
    page = tail[at:]
    lacing = page[27 : 27 + page[26]] if len(page) > 26 else b""
    if len(page) < 27 or len(lacing) < page[26] or len(page) < 27 + len(lacing) + sum(lacing):
        raise truncated("the last Ogg page is not complete")
    if len(page) > 27 + len(lacing) + sum(lacing):
        subject.note("trailing_bytes")
    if not page[5] & LAST_PAGE:
        subject.note("no_end_mark")


def whole_adts(subject: Subject) -> None:
    """The last ADTS frame is complete."""
    position = walked = 0
    while len(header := read_at(subject.file, position, 7)) == 7 and header[0] == 0xFF and header[1] & 0xF6 == 0xF0:
        length = (header[3] & 0x03) << 11 | header[4] << 3 | header[5] >> 5
        if length < 7:
            raise Refused(Reason.UNDECODABLE, "an ADTS frame is shorter than its header")
        position, walked = position + length, walked + 1
        if position > subject.size:
            raise truncated("the last ADTS frame is not complete")
        if walked > subject.limits.boxes * 10:
            raise Refused(Reason.UNSAFE_MEDIA, "the file has too many frames")
    if position < subject.size:
        subject.note("trailing_bytes")
