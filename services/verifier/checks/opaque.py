"""Whatever was promised as `other`: nothing is read of it, so its content type is that of bytes."""

from services.verifier.checks.subject import Subject
from services.verifier.policy import FORMATS
from shared.messages import Kind


def opaque(subject: Subject) -> None:
    """The file is kept as it is: only its size and its digests are proven."""
    subject.kind, subject.format = Kind.OTHER, FORMATS["opaque"]
