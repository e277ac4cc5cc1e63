"""The order of the checks, which is the policy, and the examination that runs them."""

from collections.abc import Callable, Iterator
from typing import BinaryIO

from PIL import Image
from pypdf.errors import LimitReachedError

from services.verifier.checks import (
    archive,
    decode,
    duration,
    image,
    opaque,
    packets,
    pdf,
    pdf_streams,
    signature,
    streams,
    tables,
    text,
    undecoded,
)
from services.verifier.checks.subject import NotApplicable, Refused, Subject
from services.verifier.facts import Verdict
from services.verifier.policy import Limits
from shared.messages import Kind
from shared.reasons import Reason

Check = Callable[[Subject], None]

OPENING: tuple[Check, ...] = (signature.not_empty, signature.no_error_body)
MEDIA: tuple[Check, ...] = (
    streams.whole_container,
    tables.box_tables,
    streams.clear_samples,
    streams.container,
    streams.streams,
    signature.promised_kind,
    streams.codecs,
    streams.picture_size,
    packets.packets,
    duration.duration,
    decode.later_samples,
)
IMAGE: tuple[Check, ...] = (
    signature.promised_kind,
    image.image_bytes,
    undecoded.decodable,
    image.image_header,
    image.image_size,
    image.whole_image,
    image.image_frames,
)
PDF: tuple[Check, ...] = (
    signature.promised_kind,
    pdf.pdf_bytes,
    pdf.whole_pdf,
    pdf.open_pdf,
    pdf.pages,
    pdf_streams.pdf_streams,
    pdf.no_active_content,
)
ARCHIVE: tuple[Check, ...] = (
    signature.promised_kind,
    archive.open_zip,
    archive.zip_entries,
    archive.office_file,
    archive.zip_content,
)
TEXT: tuple[Check, ...] = (
    text.text_bytes,
    text.no_other_format,
    text.whole_text,
    text.no_markup,
    text.json_text,
)
FOUND: dict[Kind | None, tuple[Check, ...]] = {
    None: MEDIA,
    Kind.IMAGE: IMAGE,
    Kind.PDF: PDF,
    Kind.ARCHIVE: ARCHIVE,
}
"""By the kind that the signature tells; of video and audio it tells none yet."""
PROMISED: dict[Kind | None, tuple[Check, ...]] = {Kind.TEXT: TEXT, Kind.OTHER: (opaque.opaque,)}
"""Kinds without a signature, which are never guessed: they are taken only when they were promised."""


def prove(file: BinaryIO, promised: Kind | None, limits: Limits) -> Verdict:
    """Examine a seekable file; `promised` is the kind it must have, None for whatever it proves to be."""
    subject = Subject.of(file, promised, limits)
    current = ""
    try:
        for check in _checks(subject):
            current = check.__name__
            _run(check, subject)
        return Verdict(facts=subject.facts())
    except Refused as refused:
        return Verdict(reason=refused.reason, check=current, detail=refused.detail)
    except Exception as error:  # noqa: BLE001 (a decoder may raise anything; each is a verdict about the file)
        reason, detail = _judge(error)
        return Verdict(reason=reason, check=current, detail=detail)
    finally:
        subject.close()


def policy(kind: Kind) -> tuple[Check, ...]:
    """All checks that a file of this kind goes through, in order."""
    if kind in PROMISED:
        return OPENING + PROMISED[kind]
    return (*OPENING, signature.signature, *FOUND.get(kind, MEDIA))


def _checks(subject: Subject) -> Iterator[Check]:
    """The checks in order; the first ones find out which list comes next."""
    yield from OPENING
    if subject.promised in PROMISED:
        yield from PROMISED[subject.promised]
    else:
        yield signature.signature
        yield from FOUND[subject.kind]


def _run(check: Check, subject: Subject) -> None:
    """Run a check and keep its answer: it passes by returning, and fails by what it raises."""
    try:
        check(subject)
    except NotApplicable:
        subject.not_applicable.append(check.__name__)
    else:
        subject.passed.append(check.__name__)


def _judge(error: Exception) -> tuple[Reason, str]:
    """The verdict for an exception of a decoder: its name only, as its text may quote the file."""
    name = type(error).__name__
    if isinstance(error, MemoryError):
        return Reason.PROBE_TIMEOUT, "the file needs more memory than is allowed"
    if isinstance(error, Image.DecompressionBombError | LimitReachedError | RecursionError):
        return Reason.UNSAFE_MEDIA, f"the decoder met a limit ({name})"
    return Reason.UNDECODABLE, f"the decoder failed ({name})"
