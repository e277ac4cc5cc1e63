"""Every stream of a PDF unpacked in bounded memory: pages, pictures, fonts, attachments, whatever the filters."""

import zlib
from collections import deque
from collections.abc import Iterator
from itertools import takewhile

from pypdf import PdfReader
from pypdf.filters import decode_stream_data
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, NameObject, PdfObject, StreamObject

from services.verifier.checks.subject import Refused, Subject, truncated
from shared.reasons import Reason

PIECE_BYTES = 1024 * 1024
FLATE = frozenset({"/FlateDecode", "/Fl"})
PICTURES = frozenset({"/DCTDecode", "/DCT", "/JPXDecode", "/CCITTFaxDecode", "/CCF", "/JBIG2Decode"})
"""Codings of pictures; what they unpack to is bounded by the stated pixels."""

CODINGS = frozenset({"/ASCIIHexDecode", "/ASCII85Decode", "/LZWDecode", "/RunLengthDecode", "/Crypt"})
SHORT = frozenset({"/AHx", "/A85", "/LZW", "/RL"})
KNOWN = FLATE | PICTURES | CODINGS | SHORT
MOST_FILTERS = 8
ZLIB_HEADER_BYTES = 2


def pdf_streams(subject: Subject) -> None:
    """Every stream unpacks, through all its filters but those of pictures, inside the limits; so do stated pixels."""
    left = subject.limits.pdf_unpacked_bytes
    for value in pdf_objects(subject):
        if not isinstance(value, StreamObject):
            continue
        _check_pixels(subject, value)
        left -= _unpacked(value, min(left, subject.limits.pdf_stream_bytes))


def pdf_objects(subject: Subject) -> Iterator[PdfObject | None]:
    """Every object of the document, also those that no page leads to."""
    reader = subject.opened_as(PdfReader)
    numbers = [(number, generation) for generation, table in reader.xref.items() for number in table]
    numbers += [(number, 0) for number in reader.xref_objStm]
    if len(numbers) > subject.limits.pdf_objects:
        raise Refused(Reason.UNSAFE_MEDIA, f"{len(numbers)} objects")
    for number, generation in numbers:
        yield _object(reader, IndirectObject(number, generation, reader))


def _object(reader: PdfReader, reference: IndirectObject) -> PdfObject | None:
    try:
        return reader.get_object(reference)
    except AttributeError as error:
        # pypdf cannot keep an object that is nothing but a reference.
        raise Refused(Reason.UNDECODABLE, "an object of the PDF only refers to itself or to another one") from error


def entry(dictionary: DictionaryObject, name: str) -> PdfObject | None:
    """The value of an entry, also where a reference leads to it; None where there is none."""
    if name not in dictionary:
        return None
    # Not get(), which gives a reference as it is.
    return dictionary[name]


def filters(stream: StreamObject) -> list[str]:
    """The names of a stream's filters, in order. Raises Refused for too many of them and for unknown ones."""
    found = entry(stream, "/Filter")
    names = [item.get_object() for item in found] if isinstance(found, ArrayObject) else [found] if found else []
    if len(names) > MOST_FILTERS:
        raise Refused(Reason.UNSAFE_MEDIA, f"a stream has {len(names)} filters")
    if not KNOWN.issuperset(map(str, names)):
        raise Refused(Reason.UNDECODABLE, "a stream has a filter that is not known")
    return [str(name) for name in names]


def _check_pixels(subject: Subject, stream: StreamObject) -> None:
    width, height = entry(stream, "/Width"), entry(stream, "/Height")
    if isinstance(width, int) and isinstance(height, int) and width * height > subject.limits.pixels:
        raise Refused(Reason.UNSAFE_MEDIA, f"a picture of {width} x {height} pixels")


def _unpacked(stream: StreamObject, limit: int) -> int:
    """Bytes that a stream unpacks to. Raises Refused beyond the limit, and what the decoders raise for damage."""
    data = bytes(stream._data)
    names = list(takewhile(lambda name: name not in PICTURES, filters(stream)))
    for number, name in enumerate(names, 1):
        if name in FLATE and number == len(names):
            # The last step is only counted, so that a large picture takes no memory.
            return sum(map(len, _inflated(data, limit)))
        data = b"".join(_inflated(data, limit)) if name in FLATE else _decoded(data, name)
    if len(data) > max(limit, len(stream._data)):
        raise _bomb()
    return len(data)


def _inflated(data: bytes, limit: int) -> Iterator[bytes]:
    """What deflated bytes unpack to; only the check sum at their end may be missing, as some writers leave it out."""
    if not data.strip(b"\r\n"):
        return
    unpacker, left = zlib.decompressobj(), limit
    for piece in _pieces(unpacker, data):
        left -= len(piece)
        if left < 0:
            raise _bomb()
        yield piece
    if not unpacker.eof and not _has_last_block(data):
        raise truncated("a stream of the PDF is not complete")


def _has_last_block(data: bytes) -> bool:
    """Whether deflated bytes, inside the limit, lead to their last block."""
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    deque(_pieces(unpacker, data[ZLIB_HEADER_BYTES:]), maxlen=0)
    return unpacker.eof


def _pieces(unpacker: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    try:
        while data and not unpacker.eof:
            yield unpacker.decompress(data, PIECE_BYTES)
            data = unpacker.unconsumed_tail
        if not unpacker.eof:
            # All input may be taken while some output still waits.
            yield unpacker.flush()
    except zlib.error as error:
        raise Refused(Reason.UNDECODABLE, "a stream of the PDF is damaged") from error


def _decoded(data: bytes, name: str) -> bytes:
    """One filter of pypdf, which has limits of its own."""
    single = StreamObject()
    single._data = data
    single[NameObject("/Filter")] = NameObject(name)
    single[NameObject("/DecodeParms")] = DictionaryObject()
    return decode_stream_data(single)


def _bomb() -> Refused:
    return Refused(Reason.UNSAFE_MEDIA, "a stream unpacks to too many bytes")
