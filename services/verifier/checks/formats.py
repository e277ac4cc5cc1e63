"""How the first bytes tell the format of a file."""

import re

from services.verifier.checks.mpeg_audio import id3_end
from services.verifier.checks.subject import Refused, Subject, read_at
from shared.reasons import Reason

ISO_BOXES = frozenset({b"ftyp", b"styp", b"moov", b"moof", b"mdat", b"free", b"skip", b"wide", b"sidx", b"emsg"})
STILL_BRANDS = frozenset(b"avif avis heic heix heim heis hevc hevx mif1 msf1 miaf".split())
PLAIN = {
    b"\x89PNG\r\n\x1a\n": "png",
    b"\xff\xd8\xff": "jpeg",
    b"GIF87a": "gif",
    b"GIF89a": "gif",
    b"II*\0": "tiff",
    b"MM\0*": "tiff",
    b"BM": "bmp",
    b"\0\0\1\0": "ico",
    b"\0\0\0\x0cjP  \r\n\x87\n": "jp2",
    b"\0\0\0\x0cJXL \r\n\x87\n": "jxl",
    b"\xff\x0a": "jxl",
    b"%PDF-": "pdf",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"OggS": "ogg",
    b"fLaC": "flac",
}

PACKED = {
    b"\x1f\x8b": "is packed with gzip, as a .tar.gz is",
    b"7z\xbc\xaf\x27\x1c": "is a 7z archive",
    b"Rar!": "is a RAR archive",
    b"BZh": "is packed with bzip2",
    b"\xfd7zXZ": "is packed with xz",
    b"\x28\xb5\x2f\xfd": "is packed with zstd",
}
"""Archives that nobody looks into here, and what to say of them."""

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""Office files of the old form, and the parts of new ones that hold macros."""

MOST_TAGS = 16
"""ID3 tags in a row in front of a file."""


def known_format(subject: Subject) -> str | None:
    """The accepted format whose signature the file has; of a file behind ID3 tags that of what follows."""
    found, end = format_of(subject.head), 0
    for _ in range(MOST_TAGS):
        if found != "id3":
            return found
        end += id3_end(read_at(subject.file, end, 10))
        found = format_of(read_at(subject.file, end, 64), default="mp3")
    if found == "id3":
        raise Refused(Reason.NOT_MEDIA, f"the file begins with more than {MOST_TAGS} ID3 tags")
    return found


def format_of(head: bytes, default: str | None = None) -> str | None:
    """The format that begins so; `id3` for a tag in front of one, `default` where none does."""
    for start, name in PLAIN.items():
        if head.startswith(start):
            return name
    for look in (_iso, _riff, _ebml, _mpeg_audio):
        name_found = look(head)
        if name_found:
            return name_found
    return "id3" if head.startswith(b"ID3") else default


def _iso(head: bytes) -> str | None:
    """The format of an ISO base media file: brands tell still pictures, QuickTime and 3GP from MP4."""
    if head[4:8] not in ISO_BOXES:
        return None
    if head[4:8] != b"ftyp":
        return "mp4" if head[4:8] in {b"styp", b"moof", b"sidx", b"emsg"} else "mov"
    major, end = head[8:12], int.from_bytes(head[:4])
    brands = {head[at : at + 4] for at in range(16, min(end, len(head)), 4)} | {major}
    if major in STILL_BRANDS:
        return "avif" if brands & {b"avif", b"avis"} else "heic"
    if major.startswith((b"3gp", b"3g2", b"3ge", b"3gg", b"3gr", b"3gs")):
        return "3gp"
    return "mov" if major == b"qt  " else "mp4"


def _riff(head: bytes) -> str | None:
    if head[:4] not in {b"RIFF", b"RF64"}:
        return None
    return {b"WAVE": "wav", b"WEBP": "webp", b"AVI ": "avi"}.get(head[8:12])


def _ebml(head: bytes) -> str | None:
    if not head.startswith(b"\x1aE\xdf\xa3"):
        return None
    kind = re.search(rb"\x42\x82.{1,8}?(webm|matroska)", head[:256], re.DOTALL)
    return kind[1].decode() if kind else None


def _mpeg_audio(head: bytes) -> str | None:
    """MP3 or ADTS by the frame header: sync word, layer, a legal bit rate and sample rate."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return None
    if head[1] & 0xF6 == 0xF0:
        return "adts"
    legal = head[1] & 0x18 != 0x08 and head[2] & 0xF0 not in {0, 0xF0} and head[2] & 0x0C != 0x0C
    return "mp3" if head[1] & 0x06 == 0x02 and legal else None
