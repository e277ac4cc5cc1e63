"""PDF by pypdf and ZIP by zipfile, good ones and hostile ones."""

import io
import zipfile
from collections.abc import Mapping

from pypdf import PdfWriter
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    NameObject,
    NumberObject,
    StreamObject,
    TextStringObject,
)


def pdf(pages: int = 3, *, password: str | None = None, owner_password: str | None = None) -> bytes:
    """A PDF with drawing commands on each page."""
    return written(document(pages), password, owner_password)


def pdf_with_script() -> bytes:
    """A PDF that runs JavaScript when it is opened."""
    writer = document(1)
    script = {NameObject("/S"): NameObject("/JavaScript"), NameObject("/JS"): TextStringObject("app.alert(1);")}
    writer.root_object[NameObject("/OpenAction")] = writer._add_object(DictionaryObject(script))
    return written(writer)


def pdf_with_action(action: str) -> bytes:
    """A PDF whose page runs an action of this type, such as `/Launch`, when it is shown."""
    writer = document(1)
    name = NameObject(action)
    step = DictionaryObject({NameObject("/S"): name, NameObject("/F"): TextStringObject("calc.exe")})
    writer.pages[0][NameObject("/AA")] = DictionaryObject({NameObject("/O"): step})
    return written(writer)


def pdf_with_annotation(subtype: str) -> bytes:
    """A PDF whose page has an annotation of this type, such as `/Movie`."""
    writer = document(1)
    box = ArrayObject(NumberObject(side) for side in (0, 0, 10, 10))
    note = DictionaryObject({NameObject("/Subtype"): NameObject(subtype), NameObject("/Rect"): box})
    writer.pages[0][NameObject("/Annots")] = ArrayObject([writer._add_object(note)])
    return written(writer)


def pdf_with_bomb(size: int) -> bytes:
    """A PDF whose page has drawing commands that unpack to `size` bytes."""
    writer = document(1)
    stream = StreamObject()
    stream.set_data(b" " * size)
    writer.pages[0][NameObject("/Contents")] = writer._add_object(stream.flate_encode())
    return written(writer)


def archive(files: Mapping[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP file with these names and contents; names are taken as they are, also harmful ones."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as output:
        for name, content in files.items():
            entry = zipfile.ZipInfo("placeholder")
            entry.filename, entry.compress_type = name, compression
            output.writestr(entry, content)
    return target.getvalue()


def nested(depth: int) -> bytes:
    """A ZIP file in a ZIP file, `depth` of them around the first one."""
    content = archive({"inner.txt": b"the inmost file"})
    for _ in range(depth):
        content = archive({"inner.zip": content})
    return content


def overlapping() -> bytes:
    """A ZIP file with two entries in the directory that share one file's bytes."""
    one = archive({"a.txt": b"x" * 1000})
    start = one.index(b"PK\x01\x02")
    end = one.index(b"PK\x05\x06")
    entry = one[start:end]
    tail = bytearray(one[end:])
    tail[8:10] = tail[10:12] = (2).to_bytes(2, "little")
    tail[12:16] = (2 * len(entry)).to_bytes(4, "little")
    return one[:start] + entry + entry.replace(b"a.txt", b"b.txt") + bytes(tail)


def document(pages: int) -> PdfWriter:
    """The writer of a PDF with so many pages."""
    writer = PdfWriter()
    for number in range(pages):
        page = writer.add_blank_page(200, 200)
        stream = StreamObject()
        stream.set_data(b"0 0 m 100 %d l S " % number * 40)
        page[NameObject("/Contents")] = writer._add_object(stream.flate_encode())
        page[NameObject("/Rotate")] = NumberObject(0)
    return writer


def written(writer: PdfWriter, password: str | None = None, owner_password: str | None = None) -> bytes:
    """The bytes of a PDF, encrypted where there are passwords."""
    if password is not None or owner_password is not None:
        writer.encrypt(password or "", owner_password, algorithm="AES-256")
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def zip64() -> bytes:
    """A ZIP file whose entry is written in the long form."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as output, output.open("a.txt", "w", force_zip64=True) as entry:
        entry.write(b"long form" * 100)
    return target.getvalue()


def twice(name: str) -> bytes:
    """A ZIP file with two entries of one name."""
    return archive({name: b"first", "?" * len(name): b"other"}).replace(b"?" * len(name), name.encode())
