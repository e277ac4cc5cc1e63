"""The top-level boxes of an ISO base media file (MP4, MOV, HEIF, AVIF), followed while the file streams by."""

_MOST_BOXES = 100_000
_HEADER = 8
_LONG_HEADER = 16


class Boxes:
    """Reads only the headers of boxes; a file of another kind is left alone from its first header on."""

    def __init__(self) -> None:
        self._header = b""
        self._skip = 0
        self._count = 0
        self._is_lost = False
        self._last = b""
        self._kinds: set[bytes] = set()

    @property
    def are_whole(self) -> bool:
        """Whether the file ended where its last box says, and holds what a whole one must.

        Fragments go on for as long as they like, so that only the index behind them shows the end.
        """
        if self._is_lost or self._skip or self._header:
            return False
        if b"moof" in self._kinds:
            return self._last == b"mfra"
        return b"mdat" in self._kinds and bool(self._kinds & {b"moov", b"meta"})

    def see(self, block: bytes) -> None:
        """Follow the next bytes of the file."""
        at = 0
        while at < len(block) and not self._is_lost:
            if self._skip:
                step = min(self._skip, len(block) - at)
                self._skip -= step
            else:
                step = min(self._missing(), len(block) - at)
                self._header += block[at : at + step]
                self._open()
            at += step

    def _missing(self) -> int:
        is_long = len(self._header) >= _HEADER
        return (_LONG_HEADER if is_long else _HEADER) - len(self._header)

    def _open(self) -> None:
        size, kind = int.from_bytes(self._header[:4]), self._header[4:8]
        if len(self._header) < _HEADER or (size == 1 and len(self._header) < _LONG_HEADER):
            return
        size = int.from_bytes(self._header[8:]) if size == 1 else size
        self._count += 1
        # A size of 0 means "to the end", which shows none.
        self._is_lost = size < len(self._header) or self._count > _MOST_BOXES or (self._count == 1 and kind != b"ftyp")
        self._skip = size - len(self._header)
        self._kinds |= {kind} & {b"moov", b"meta", b"mdat", b"moof"}
        self._last, self._header = kind, b""
