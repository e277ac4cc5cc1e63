"""PDF files in which something hides: in streams, actions, attachments, updates and cross references."""

import re
from collections.abc import Mapping

from pypdf.generic import ArrayObject, DictionaryObject, NameObject, PdfObject, StreamObject, TextStringObject

from tests.media.documents import document, pdf, written


def pdf_with_stream(data: bytes, *filters: str, **entries: PdfObject) -> bytes:
    """A PDF that holds a stream which no page needs, with these filters and further entries (`Width` is `/Width`)."""
    writer = document(1)
    stream = StreamObject()
    stream.set_data(data)
    if filters:
        stream[NameObject("/Filter")] = ArrayObject(NameObject(name) for name in filters)
    stream.update({NameObject(f"/{name}"): value for name, value in entries.items()})
    writer.root_object[NameObject("/Beside")] = writer._add_object(stream)
    return written(writer)


def pdf_with_entry(place: str, entry: Mapping[str, PdfObject], *, indirect: bool = False) -> bytes:
    """A PDF with a dictionary where readers act on it: an `annotation`, a `field`, `names`, or an entry of the root."""
    writer = document(1)
    items = {NameObject(name): writer._add_object(item) if indirect else item for name, item in entry.items()}
    value: PdfObject = DictionaryObject(items)
    if indirect:
        value = writer._add_object(value)
    root = writer.root_object
    if place == "annotation":
        note = DictionaryObject({NameObject("/Subtype"): NameObject("/Link"), NameObject("/A"): value})
        writer.pages[0][NameObject("/Annots")] = ArrayObject([writer._add_object(note)])
    elif place == "names":
        tree = DictionaryObject({NameObject("/Names"): ArrayObject([TextStringObject("a"), value])})
        root[NameObject("/Names")] = DictionaryObject({NameObject("/AP"): tree})
    elif place == "field":
        field = DictionaryObject({NameObject("/AA"): DictionaryObject({NameObject("/K"): value})})
        root[NameObject("/AcroForm")] = DictionaryObject({NameObject("/Fields"): ArrayObject([field])})
    else:
        root[NameObject(f"/{place}")] = value
    return written(writer)


def pdf_with_attachment() -> bytes:
    """A PDF with a file inside."""
    writer = document(1)
    writer.add_attachment("notes.txt", b"some notes")
    return written(writer)


def updated(data: bytes, number: int, body: bytes) -> bytes:
    """The PDF with an incremental update that gives object `number` another content."""
    start = len(data)
    last = data.rindex(b"startxref") + len(b"startxref")
    previous = int(data[last : data.index(b"%%EOF", last)])
    changed = b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"xref\n%d 1\n%010d 00000 n \n" % (number, start)
    root = re.search(rb"/Root (\d+ 0 R)", data)
    assert root
    trailer = b"trailer\n<< /Size 99 /Root %s /Prev %d >>\n" % (root[1], previous)
    return data + changed + table + trailer + b"startxref\n%d\n%%%%EOF\n" % (start + len(changed))


def looping() -> bytes:
    """A PDF whose cross references name themselves as the earlier ones."""
    data = updated(pdf(1), 50, b"null")
    at = data.rindex(b"startxref") + 10
    own = int(data[at : data.index(b"\n", at)])
    end = data.rindex(b" >>\nstartxref")
    return data[: data.rindex(b"/Prev")] + b"/Prev %d" % own + data[end:]
