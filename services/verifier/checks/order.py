"""The order of the checks, which is the policy, and the examination that runs them."""

from collections.abc import Callable, Iterator
from typing import BinaryIO

from PIL import Image
from pypdf.errors import LimitReachedError

from services.verifier.checks import archive, decode, image, packets, pdf, signature, streams
from services.verifier.checks.subject import Refused, Subject
from services.verifier.facts import Verdict
from services.verifier.policy import Limits
from shared.messages import Kind
from shared.reasons import Reason

Check = Callable[[Subject], None]

FIRST: tuple[Check, ...] = (signature.not_empty, signature.no_error_body, signature.signature)
MEDIA: tuple[Check, ...] = (
    streams.whole_container,
    streams.clear_samples,
    streams.container,
    streams.streams,
    signature.promised_kind,
    streams.codecs,
    streams.picture_size,
    packets.packets,
    packets.duration,
    decode.later_samples,
)
IMAGE: tuple[Check, ...] = (
    signature.promised_kind,
    image.image_bytes,
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
    pdf.no_active_content,
)
ARCHIVE: tuple[Check, ...] = (
    signature.promised_kind,
    archive.open_zip,
    archive.zip_entries,
    archive.zip_content,
)
BY_KIND: dict[Kind, tuple[Check, ...]] = {Kind.IMAGE: IMAGE, Kind.PDF: PDF, Kind.ARCHIVE: ARCHIVE}


def prove(file: BinaryIO, promised: Kind | None, limits: Limits) -> Verdict:
    """Examine a seekable file; `promised` is the kind it must have, None for whatever it proves to be."""
    subject = Subject.of(file, promised, limits)
    current = ""
    try:
        for check in _checks(subject):
            current = check.__name__
            check(subject)
            subject.passed.append(current)
        return Verdict(facts=subject.facts())
    except Refused as refused:
        return Verdict(reason=refused.reason, check=current, detail=refused.detail)
    except Exception as error:  # noqa: BLE001 (a decoder may raise anything; each is a verdict about the file)
        reason, detail = _judge(error)
        return Verdict(reason=reason, check=current, detail=detail)
    finally:
        subject.close()


def _checks(subject: Subject) -> Iterator[Check]:
    """The checks in order; the first ones find out which list comes next."""
    yield from FIRST
    yield from MEDIA if subject.kind is None else BY_KIND[subject.kind]


def _judge(error: Exception) -> tuple[Reason, str]:
    """The verdict for an exception of a decoder: its name only, as its text may quote the file."""
    name = type(error).__name__
    if isinstance(error, MemoryError):
        return Reason.PROBE_TIMEOUT, "the file needs more memory than is allowed"
    if isinstance(error, Image.DecompressionBombError | LimitReachedError | RecursionError):
        return Reason.UNSAFE_MEDIA, f"the decoder met a limit ({name})"
    return Reason.UNDECODABLE, f"the decoder failed ({name})"
