"""Matroska and WebM element by element: whole to the last block, also where sizes are unknown."""

from services.verifier.checks.subject import Refused, Subject, read_at, truncated
from shared.reasons import Reason

SEGMENT, CLUSTER = 0x18538067, 0x1F43B675
TOP = frozenset({SEGMENT, 0x1A45DFA3, 0xEC, 0xBF})
"""What may stand outside a segment: segment, EBML header, void, CRC-32."""

ENCRYPTION = (SEGMENT, 0x1654AE6B, 0xAE, 0x6D80, 0x6240, 0x5035)
"""Where a track says that it is encrypted: tracks, track, encodings, encoding, encryption (RFC 9559, 5.1.4.1.31)."""

HEADER_BYTES = 12


def whole_elements(subject: Subject) -> None:
    """Every part of the segments ends inside the file; bytes after a segment of stated size are noted."""
    position = walked = 0
    outside = True
    segment_end: int | None = None
    while position < subject.size:
        header = read_at(subject.file, position, HEADER_BYTES)
        outside = outside or position == segment_end
        identity, size, width = _element(header)
        if width == 0 or (outside and identity not in TOP):
            return _no_element(subject, position, header, position == segment_end)
        body = position + width
        position = body if identity == SEGMENT or size is None else body + size
        if identity == SEGMENT:
            outside, segment_end = False, None if size is None else body + size
        elif size is None and identity != CLUSTER:
            raise Refused(Reason.UNDECODABLE, "an element has no size")
        _inside(subject, max(position, segment_end or 0))
        walked += 1
        if walked > subject.limits.boxes:
            raise Refused(Reason.UNSAFE_MEDIA, "the file has too many elements")
    return None


def is_encrypted(subject: Subject) -> bool:
    """Whether a track of the headers, before the first cluster, is encrypted."""
    return _leads(subject, 0, subject.size, ENCRYPTION)


def _leads(subject: Subject, start: int, end: int, path: tuple[int, ...]) -> bool:
    """Whether elements of these identities stand inside each other somewhere between two positions."""
    while start < end:
        identity, size, width = _element(read_at(subject.file, start, HEADER_BYTES))
        if width == 0 or identity == CLUSTER:
            return False
        body = start + width
        start = end if size is None else body + size
        if identity == path[0] and (len(path) == 1 or _leads(subject, body, min(start, end), path[1:])):
            return True
    return False


def _inside(subject: Subject, end: int) -> None:
    if end > subject.size:
        raise truncated(f"an element ends {end - subject.size} bytes after the end of the file")


def _no_element(subject: Subject, position: int, header: bytes, after_segment: bool) -> None:
    if after_segment:
        return subject.ends_at(position)
    if len(header) < HEADER_BYTES and header[0]:
        raise truncated("the file ends inside an element's header")
    raise Refused(Reason.UNDECODABLE, "the file is not a chain of elements")


def _element(header: bytes) -> tuple[int, int | None, int]:
    """Identity, size of the body (None if it is left open) and width of an element's header; width 0 if it is none."""
    width = _width(header)
    size_width = _width(header[width:])
    if width == 0 or width > 4 or size_width == 0:
        return 0, None, 0
    mask = (1 << 7 * size_width) - 1
    size = int.from_bytes(header[width : width + size_width]) & mask
    return int.from_bytes(header[:width]), None if size == mask else size, width + size_width


def _width(number: bytes) -> int:
    """Bytes of a variable-length number; 0 if there is none or it is cut."""
    width = 9 - number[0].bit_length() if number and number[0] else 0
    return width if width <= len(number) else 0
