"""Matroska and WebM element by element: whole to the last block, also where sizes are unknown."""

from services.verifier.checks.subject import Refused, Subject, read_at, truncated
from shared.reasons import Reason

SEGMENT, CLUSTER = 0x18538067, 0x1F43B675
OPEN_ENDED = frozenset({SEGMENT, CLUSTER})
"""A live recording leaves the size of these unknown; their children are then walked in their place."""


def whole_elements(subject: Subject) -> None:
    """Every element ends inside the file; bytes after a whole segment are noted."""
    position = walked = 0
    whole_segment = False
    while position < subject.size:
        header = read_at(subject.file, position, 12)
        identity, width = _number(header, keep_marker=True)
        size, size_width = _number(header[width:], keep_marker=False)
        if identity is None or width > 4 or size_width == 0:
            return _no_element(subject, header, whole_segment)
        if size is None and identity not in OPEN_ENDED:
            raise Refused(Reason.UNDECODABLE, "an element has no size")
        position += width + size_width + (size or 0)
        if position > subject.size:
            raise truncated(f"an element ends {position - subject.size} bytes after the end of the file")
        walked, whole_segment = walked + 1, identity == SEGMENT and size is not None
        if walked > subject.limits.boxes:
            raise Refused(Reason.UNSAFE_MEDIA, "the file has too many elements")
    return None


def _no_element(subject: Subject, header: bytes, whole_segment: bool) -> None:
    if whole_segment:
        return subject.note("trailing_bytes")
    if len(header) < 12 and header[0]:
        raise truncated("the file ends inside an element's header")
    raise Refused(Reason.UNDECODABLE, "the file is not a chain of elements")


def _number(data: bytes, *, keep_marker: bool) -> tuple[int | None, int]:
    """A variable-length number and its width in bytes; None is an unknown size, width 0 no number at all."""
    if not data or data[0] == 0:
        return None, 0
    width = 9 - data[0].bit_length()
    if width > len(data):
        return None, 0
    value = int.from_bytes(data[:width])
    if keep_marker:
        return value, width
    value &= (1 << 7 * width) - 1
    return (None if value == (1 << 7 * width) - 1 else value), width
