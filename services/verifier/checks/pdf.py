"""PDF by pypdf: not encrypted, every page is read, and nothing in it acts by itself."""

from collections.abc import Iterator

from pypdf import PasswordType, PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, NullObject, PdfObject, StreamObject

from services.verifier.checks.pdf_actions import activity, name_of
from services.verifier.checks.pdf_streams import entry, filters, pdf_objects
from services.verifier.checks.subject import Refused, Subject, read_at, truncated
from shared.reasons import Reason

TAIL_BYTES = 1024
"""Where readers look for the end mark (ISO 32000-1, annex H, note 18)."""

MAX_DEPTH = 64


def pdf_bytes(subject: Subject) -> None:
    """The file is no larger than a PDF may be."""
    if subject.size > subject.limits.pdf_bytes:
        raise Refused(Reason.UNSAFE_MEDIA, f"a PDF of more than {subject.limits.pdf_bytes} bytes")


def whole_pdf(subject: Subject) -> None:
    """The end mark stands in the last kilobyte."""
    if b"%%EOF" not in read_at(subject.file, max(0, subject.size - TAIL_BYTES), TAIL_BYTES):
        raise truncated("the PDF has no end mark")


def open_pdf(subject: Subject) -> None:
    """The cross references are readable, and no password is needed to read the document."""
    subject.file.seek(0)
    reader = PdfReader(subject.file)
    subject.opened = reader
    if reader.is_encrypted:
        if reader.decrypt("") is PasswordType.NOT_DECRYPTED:
            raise Refused(Reason.ENCRYPTED, "the PDF needs a password")
        subject.note("owner_password")


def pages(subject: Subject) -> None:
    """There are pages, inside the limit, and the drawing commands of each one unpack."""
    reader, limits = subject.opened_as(PdfReader), subject.limits
    count = len(reader.pages)
    if count > limits.pages:
        raise Refused(Reason.UNSAFE_MEDIA, f"{count} pages")
    if count == 0:
        raise Refused(Reason.UNDECODABLE, "the PDF has no pages")
    for page in reader.pages:
        _check_contents(page)
        contents = page.get_contents()
        if contents is not None and len(contents.get_data()) > limits.pdf_page_bytes:
            raise Refused(Reason.UNSAFE_MEDIA, "a page unpacks to too many bytes")
    subject.found["pages"] = count


def _check_contents(page: DictionaryObject) -> None:
    """Refuse a page whose contents are stated and lost: pypdf, as readers do, would take it as empty."""
    if "/Contents" not in page:
        return
    contents = entry(page, "/Contents")
    for part in contents if isinstance(contents, ArrayObject) else [contents]:
        stream = part.get_object() if part is not None else None
        if isinstance(stream, StreamObject):
            filters(stream)
        elif not isinstance(stream, NullObject):
            raise Refused(Reason.UNDECODABLE, "the contents of a page are missing or damaged")


def no_active_content(subject: Subject) -> None:
    """Nothing is a script, starts a program, plays, acts without a press, or lies in another file."""
    for value in (*pdf_objects(subject), subject.opened_as(PdfReader).trailer):
        for dictionary in _dictionaries(value, 0):
            _refuse_active(subject, dictionary)


def _refuse_active(subject: Subject, value: DictionaryObject) -> None:
    active = activity(value)
    if active is not None:
        raise Refused(Reason.ACTIVE_CONTENT, active)
    if "/EmbeddedFiles" in value or "/EF" in value:
        subject.note("embedded_files")
    if name_of(value, "/S") == "/SubmitForm":
        subject.note("sends_form")


def _dictionaries(value: PdfObject | None, depth: int) -> Iterator[DictionaryObject]:
    """The dictionaries directly inside an object, without following references."""
    if depth > MAX_DEPTH:
        raise Refused(Reason.UNSAFE_MEDIA, "objects are nested too deeply")
    if isinstance(value, DictionaryObject):
        yield value
        for key in value:
            yield from _dictionaries(value.raw_get(key), depth + 1)
    elif isinstance(value, ArrayObject):
        for item in value:
            yield from _dictionaries(item, depth + 1)
