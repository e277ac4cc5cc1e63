"""What the first bytes say: the format of a file, or what stands in place of media."""

import re

import filetype

from services.verifier.checks.mpeg_audio import id3_end
from services.verifier.checks.subject import Refused, Subject, read_at
from services.verifier.policy import FORMATS
from shared.reasons import Reason

TEXT = re.compile(rb"[\t\n\r\x0c\x20-\x7e\x80-\xff]*")
ISO_BOXES = frozenset({b"ftyp", b"styp", b"moov", b"moof", b"mdat", b"free", b"skip", b"wide", b"sidx", b"emsg"})
STILL_BRANDS = frozenset({b"avif", b"avis", b"heic", b"heix", b"hevc", b"mif1", b"msf1", b"miaf"})
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
    b"%PDF-": "pdf",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"OggS": "ogg",
    b"fLaC": "flac",
}


def not_empty(subject: Subject) -> None:
    """The file holds at least one byte."""
    if subject.size == 0:
        raise Refused(Reason.NOT_MEDIA, "the file is empty")


def no_error_body(subject: Subject) -> None:
    """The file is no page or text, such as a server sends in place of media; SVG counts as text."""
    what = _text_kind(subject.head)
    if what is not None:
        raise Refused(Reason.NOT_MEDIA, f"the file is {what}")


def signature(subject: Subject) -> None:
    """The first bytes are those of an accepted format."""
    found = _format(subject.head)
    if found == "id3":
        found = _format(read_at(subject.file, id3_end(subject.head), 64), default="mp3")
    if found is None:
        guess = filetype.guess(subject.head)
        seen = f"looks like {guess.mime}" if guess else "has no known signature"
        raise Refused(Reason.NOT_MEDIA, f"the file {seen}, which is not accepted")
    subject.format = FORMATS[found]
    if not subject.format.is_media:
        subject.kind = next(iter(subject.format.types))


def promised_kind(subject: Subject) -> None:
    """The kind is the promised one, when one was promised."""
    if subject.promised is not None and subject.kind is not subject.promised:
        raise Refused(Reason.WRONG_KIND, f"promised {subject.promised}, found {subject.kind}")


def _text_kind(head: bytes) -> str | None:
    """What kind of text a file is; None if it is no text."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "replace").encode()
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith(b"<"):
        return _markup(text[:1024])
    if text.startswith((b"{", b"[")):
        return "JSON text"
    return "plain text" if TEXT.fullmatch(head) and _format(head) is None else None


def _markup(text: bytes) -> str:
    if b"<svg" in text:
        return "an SVG drawing"
    return "an HTML page" if b"<html" in text or b"<!doctype html" in text else "XML text"


def _format(head: bytes, default: str | None = None) -> str | None:
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
        return "avif" if brands & {b"avif", b"avis"} else None
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
