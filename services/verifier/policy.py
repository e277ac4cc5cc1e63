"""What the verifier accepts and how far it goes: formats, codecs, limits and the oldest libraries allowed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from shared.messages import Kind

POLICY_VERSION = "2"
"""Raised with every change of the checks, the accepted formats or the limits."""

OLDEST = {"FFmpeg": ((8, 0, 3), (8, 1, 2)), "Pillow": ((12, 3),), "pypdf": ((6, 6),)}
"""Oldest release allowed, per release series where fixes were backported."""


@dataclass(frozen=True)
class Format:
    """A file format that can be proven.

    `reader` is the name by which the library that reads it knows it, empty where none does; `types` maps each kind
    that the format can hold to its content type and file extension.
    """

    name: str
    reader: str
    types: Mapping[Kind, tuple[str, str]] = field(default_factory=dict)

    @property
    def is_media(self) -> bool:
        """Whether the format holds video or audio streams."""
        return Kind.AUDIO in self.types or Kind.VIDEO in self.types


def _still(name: str, reader: str, extension: str) -> Format:
    return Format(name, reader, {Kind.IMAGE: (f"image/{name}", extension)})


def _media(name: str, reader: str, **types: tuple[str, str]) -> Format:
    return Format(name, reader, {Kind(kind): names for kind, names in types.items()})


FORMATS = {
    known.name: known
    for known in (
        _media("mp4", "mov", video=("video/mp4", "mp4"), audio=("audio/mp4", "m4a")),
        _media("mov", "mov", video=("video/quicktime", "mov"), audio=("audio/mp4", "m4a")),
        _media("3gp", "mov", video=("video/3gpp", "3gp"), audio=("audio/3gpp", "3gp")),
        _media("webm", "matroska", video=("video/webm", "webm"), audio=("audio/webm", "weba")),
        _media("matroska", "matroska", video=("video/x-matroska", "mkv"), audio=("audio/x-matroska", "mka")),
        _media("avi", "avi", video=("video/x-msvideo", "avi")),
        _media("mp3", "mp3", audio=("audio/mpeg", "mp3")),
        _media("adts", "aac", audio=("audio/aac", "aac")),
        _media("wav", "wav", audio=("audio/wav", "wav")),
        _media("flac", "flac", audio=("audio/flac", "flac")),
        _media("ogg", "ogg", audio=("audio/ogg", "ogg")),
        _still("png", "PNG", "png"),
        _still("jpeg", "JPEG", "jpg"),
        _still("webp", "WEBP", "webp"),
        _still("gif", "GIF", "gif"),
        _still("avif", "AVIF", "avif"),
        _still("tiff", "TIFF", "tif"),
        _still("bmp", "BMP", "bmp"),
        _still("jp2", "JPEG2000", "jp2"),
        _still("heic", "", "heic"),
        _still("jxl", "", "jxl"),
        Format("ico", "ICO", {Kind.IMAGE: ("image/x-icon", "ico")}),
        Format("pdf", "pypdf", {Kind.PDF: ("application/pdf", "pdf")}),
        Format("zip", "zipfile", {Kind.ARCHIVE: ("application/zip", "zip")}),
        Format("text", "codecs", {Kind.TEXT: ("text/plain", "txt")}),
        Format("json", "json", {Kind.TEXT: ("application/json", "json")}),
        Format("opaque", "", {Kind.OTHER: ("application/octet-stream", "bin")}),
    )
}

UNDECODED = tuple(known.name for known in FORMATS.values() if Kind.IMAGE in known.types and not known.reader)
"""Images whose signature is known and whose pixels no decoder here reads; refused unless the settings accept them."""

VIDEO_CODECS = frozenset(
    {"av1", "dnxhd", "h263", "h264", "hevc", "mjpeg", "mpeg4", "prores", "vp8", "vp9"}
)  # fmt: skip
AUDIO_CODECS = frozenset(
    {"aac", "ac3", "alac", "amr_nb", "amr_wb", "eac3", "flac", "mp3", "opus", "vorbis"}
    | {"pcm_alaw", "pcm_f32be", "pcm_f32le", "pcm_f64le", "pcm_mulaw", "pcm_s16be", "pcm_s16le", "pcm_s24be"}
    | {"pcm_s24le", "pcm_s32be", "pcm_s32le", "pcm_s8", "pcm_u8"}
)
"""Codecs by FFmpeg's name. No other decoder is ever opened, whatever a file asks for."""


@dataclass(frozen=True)
class Limits:
    """How far an examination goes; a file beyond one of these is `unsafe_media`."""

    accept_undecoded: frozenset[str] = frozenset()
    """Formats of `UNDECODED` that are accepted by their structure alone."""
    image_bytes: int = 256 * 2**20
    pdf_bytes: int = 512 * 2**20
    pixels: int = 100_000_000
    """Of one image."""
    animation_pixels: int = 4_000_000_000
    """Of all frames of an image together."""
    animation_frames: int = 10_000
    video_pixels: int = 8192 * 4320
    """Of one video frame."""
    streams: int = 32
    seconds: float = 24 * 3600.0
    """Of video or audio; a longer duration in a header is taken as unknown."""
    boxes: int = 1_000_000
    """Elements of a container that are walked through."""
    pages: int = 5_000
    pdf_objects: int = 200_000
    pdf_page_bytes: int = 64 * 2**20
    """Of the drawing commands of one page, unpacked."""
    pdf_stream_bytes: int = 256 * 2**20
    """Of any one stream, unpacked."""
    pdf_unpacked_bytes: int = 2**30
    """Of all streams together, unpacked."""
    entries: int = 10_000
    unpacked_bytes: int = 4 * 2**30
    ratio: int = 200
    """Unpacked to packed bytes of an archive, once it unpacks to more than `ratio_from_bytes`."""
    ratio_from_bytes: int = 16 * 2**20
    nesting: int = 2
    """Archives inside an archive."""
    nested_bytes: int = 64 * 2**20
    """Of one archive inside an archive, as it is read into memory."""
    whole_decode_pixels: int = 800_000_000
    """A video of fewer pixels in all its frames is decoded whole, else in samples."""
    sample_pixels: int = 100_000_000
    """Decoded at the start and the middle of a longer video; four times that before its end."""
    whole_decode_packets: int = 30_000
    """An audio stream of fewer packets is decoded whole, else in samples."""
    sample_packets: int = 500
    text_bytes: int = 64 * 2**20
    json_bytes: int = 16 * 2**20
    json_depth: int = 100
    """Arrays and objects inside each other."""
