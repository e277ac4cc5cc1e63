"""RIFF files (WAV, AVI, WebP): every RIFF part ends inside the file."""

from services.verifier.checks.subject import Subject, read_at, truncated

UNSTATED = frozenset({0, 0x7FFFFFFF, 0xFFFFFFFF})
"""Sizes that a writer leaves in a stream whose end it does not know yet."""


def whole_riff(subject: Subject) -> None:
    """The stated size of each RIFF part fits into the file; a stream's unstated size is noted."""
    position = 0
    while True:
        header = read_at(subject.file, position, 12)
        if header[:4] not in {b"RIFF", b"RF64"}:
            return subject.ends_at(position)
        size = _size(subject, header)
        if size is None:
            return subject.note("length_unstated")
        position += 8 + size
        if position > subject.size:
            raise truncated(f"the RIFF part ends {position - subject.size} bytes after the end of the file")
        position += size % 2
        if position >= subject.size:
            return None


def _size(subject: Subject, header: bytes) -> int | None:
    if header[:4] == b"RF64":
        extended = read_at(subject.file, 12, 16)
        return int.from_bytes(extended[8:16], "little") if extended[:4] == b"ds64" else None
    size = int.from_bytes(header[4:8], "little")
    return None if size in UNSTATED else size
