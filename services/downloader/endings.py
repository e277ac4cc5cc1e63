"""Whether a file that streamed by was whole by its container's own word."""

from collections.abc import Callable, Mapping

from services.downloader.boxes import Boxes

_HEAD_BYTES = 12
_TAIL_BYTES = 1024
_PNG_END = b"\x00\x00\x00\x00IEND\xaeB`\x82"
_ZIP_END = b"PK\x05\x06"
_ZIP_END_BYTES = 22


class Ending:
    """Watches one file, of which it keeps the first and last bytes."""

    def __init__(self) -> None:
        self.head = b""
        self.tail = b""
        self.size = 0
        self._boxes = Boxes()

    def see(self, block: bytes) -> None:
        """Watch the next bytes of the file."""
        if len(self.head) < _HEAD_BYTES:
            self.head = (self.head + block[:_HEAD_BYTES])[:_HEAD_BYTES]
        self.tail = (self.tail + block[-_TAIL_BYTES:])[-_TAIL_BYTES:]
        self.size += len(block)
        self._boxes.see(block)

    @property
    def is_whole(self) -> bool:
        """Whether the container states its end and the file ended there; an unknown container states nothing."""
        is_stated = (ends(self) for magic, ends in _ENDS.items() if self.head.startswith(magic))
        return self._boxes.are_whole or any(is_stated)


def _riff_ends(file: Ending) -> bool:
    stated = 8 + int.from_bytes(file.head[4:8], "little")
    return file.size in (stated, stated + stated % 2)


def _pdf_ends(file: Ending) -> bool:
    return file.tail.rstrip(b"\r\n").endswith(b"%%EOF")


def _zip_ends(file: Ending) -> bool:
    """Whether the end record lies right behind the directory that it points to."""
    record = file.tail[max(file.tail.rfind(_ZIP_END), 0) :]
    if not record.startswith(_ZIP_END):
        return False
    length, offset, comment = (int.from_bytes(record[a:b], "little") for a, b in ((12, 16), (16, 20), (20, 22)))
    return offset + length == file.size - len(record) and len(record) == _ZIP_END_BYTES + comment


_ENDS: Mapping[bytes, Callable[[Ending], bool]] = {
    b"\x89PNG\r\n\x1a\n": lambda file: file.tail.endswith(_PNG_END),
    b"\xff\xd8\xff": lambda file: file.tail.endswith(b"\xff\xd9"),
    b"GIF8": lambda file: file.tail.endswith(b"\x00;"),
    b"RIFF": _riff_ends,
    b"%PDF-": _pdf_ends,
    b"PK\x03\x04": _zip_ends,
}
"""How each container ends, by the bytes with which it begins."""
