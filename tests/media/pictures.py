"""Images by Pillow, and PNG files put together by hand."""

import io
import zlib
from functools import cache

from PIL import Image

SIZE = (120, 80)


@cache
def picture(form: str = "PNG", *, mode: str = "RGB", size: tuple[int, int] = SIZE, **options: object) -> bytes:
    """A still picture with a gradient, so that its bytes do not shrink to nothing."""
    return _saved([_gradient(size, 0).convert(mode)], form, options)


@cache
def animation(form: str = "GIF", *, frames: int = 5, size: tuple[int, int] = SIZE) -> bytes:
    """Frames that differ, 100 ms each."""
    return _saved([_gradient(size, number * 7) for number in range(frames)], form, {"duration": 100})


def png(width: int, height: int, rows: bytes = b"") -> bytes:
    """A PNG of 8-bit grey that says this size and holds these rows, each with its filter byte."""
    header = width.to_bytes(4) + height.to_bytes(4) + bytes([8, 0, 0, 0, 0])
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, data) for kind, data in chunks)


def chunk(kind: bytes, data: bytes) -> bytes:
    """A PNG chunk with its length and check sum."""
    return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)


def blinking_gif(frames: int, side: int = 1) -> bytes:
    """A square GIF with so many frames of one pixel, written by hand as an encoder would drop equal ones."""
    header = b"GIF89a" + side.to_bytes(2, "little") * 2 + b"\x80\x00\x00\x00\x00\x00\xff\xff\xff"
    frame = b"\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00"
    return header + frame * frames + b";"


def with_photoshop_segment(jpeg: bytes) -> bytes:
    """The JPEG with an APP13 segment straight after its start, as Photoshop writes it (FF D8 FF ED)."""
    data = b"Photoshop 3.0\0" + b"8BIM\x04\x04\0\0\0\0\0\0"
    return jpeg[:2] + b"\xff\xed" + (len(data) + 2).to_bytes(2) + data + jpeg[2:]


def _gradient(size: tuple[int, int], shift: int) -> Image.Image:
    width, height = size
    values = bytes((x * y + shift * 11 + c * 40) % 256 for y in range(height) for x in range(width) for c in range(3))
    return Image.frombytes("RGB", size, values)


def _saved(frames: list[Image.Image], form: str, options: dict[str, object]) -> bytes:
    target = io.BytesIO()
    if len(frames) > 1:
        options = {**options, "save_all": True, "append_images": frames[1:]}
    frames[0].save(target, form, **options)
    return target.getvalue()


def heic(size: tuple[int, int] = SIZE) -> bytes:
    """The boxes of a HEIC picture around data that no decoder reads."""
    sizes = [box(b"ispe", bytes(4) + side[0].to_bytes(4) + side[1].to_bytes(4)) for side in ((32, 32), size)]
    meta = bytes(4) + box(b"hdlr", bytes(24)) + box(b"iprp", box(b"ipco", b"".join(sizes)))
    return box(b"ftyp", b"heic\0\0\0\0mif1heic") + box(b"meta", meta) + box(b"mdat", bytes(range(256)) * 4)


def jxl() -> bytes:
    """The boxes of a JPEG XL picture around data that no decoder reads."""
    return box(b"JXL ", b"\r\n\x87\n") + box(b"ftyp", b"jxl \0\0\0\0jxl ") + box(b"jxlc", b"\xff\x0a" + bytes(1000))


def box(kind: bytes, body: bytes) -> bytes:
    """A box of an ISO base media file."""
    return (len(body) + 8).to_bytes(4) + kind + body
