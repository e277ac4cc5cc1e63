"""Images that no decoder here reads (HEIC, JPEG XL): refused, or where the settings say so taken by their structure."""

from collections.abc import Iterator
from typing import BinaryIO

from services.verifier.checks.boxes import Box, boxes
from services.verifier.checks.subject import Refused, Subject, read_at, truncated
from shared.reasons import Reason

CODESTREAM = b"\xff\x0a"
SETTING = "OUTLAST_ACCEPT_UNDECODED"


def decodable(subject: Subject) -> None:
    """A decoder reads this format, or the settings accept it without one, which is noted."""
    if subject.format.reader:
        return
    name = subject.format.name
    if name not in subject.limits.accept_undecoded:
        raise Refused(Reason.NOT_MEDIA, f"there is no decoder for {name}; {SETTING} takes it without one")
    subject.note("depth_not_checked")
    subject.found["codecs"] = (name,)


def whole_heic(subject: Subject) -> None:
    """Every box ends inside the file, one describes pictures and one holds them; the largest tells the size."""
    found = list(_whole(subject))
    inner = [box for meta in found if meta.type == b"meta" for box in _inside(subject.file, meta, 4)]
    kinds = {box.type for box in [*found, *inner]}
    if b"meta" not in kinds or not kinds & {b"mdat", b"idat"}:
        raise Refused(Reason.UNDECODABLE, "the file has no picture data")
    sizes = [size for box in inner if box.type == b"iprp" for size in _sizes(subject.file, box)]
    if sizes:
        subject.found["width"], subject.found["height"] = max(sizes, key=lambda size: size[0] * size[1])


def whole_jxl(subject: Subject) -> None:
    """Every box of the container ends inside the file, and there is a codestream; a bare one states no end."""
    if subject.head.startswith(CODESTREAM):
        return
    if not {box.type for box in _whole(subject)} & {b"jxlc", b"jxlp"}:
        raise Refused(Reason.UNDECODABLE, "the file has no codestream")


def _whole(subject: Subject) -> Iterator[Box]:
    """The boxes of the file. Raises Refused where one ends later than the file, or they leave a rest."""
    end = 0
    for count, box in enumerate(boxes(subject.file, 0, subject.size)):
        if box.end > subject.size:
            raise truncated(f"a box ends {box.end - subject.size} bytes after the end of the file")
        if count > subject.limits.boxes:
            raise Refused(Reason.UNSAFE_MEDIA, "the file has too many boxes")
        yield box
        end = box.end
    subject.ends_at(end)


def _inside(file: BinaryIO, box: Box, skip: int = 0) -> Iterator[Box]:
    return boxes(file, box.body + skip, box.end)


def _sizes(file: BinaryIO, properties: Box) -> Iterator[tuple[int, int]]:
    """Width and height of each `ispe` (ISO/IEC 23008-12, 6.5.3)."""
    for container in _inside(file, properties):
        for box in _inside(file, container):
            if box.type == b"ispe":
                body = read_at(file, box.body, 12)
                yield int.from_bytes(body[4:8]), int.from_bytes(body[8:12])
