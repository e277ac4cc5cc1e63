"""The file under examination and what is known about it so far."""

from dataclasses import dataclass, field
from typing import BinaryIO, Protocol, TypeVar

from services.verifier.facts import Facts
from services.verifier.policy import Format, Limits
from shared.messages import Kind
from shared.reasons import Reason

HEAD_BYTES = 4096
T = TypeVar("T")


class Refused(Exception):  # noqa: N818 (a verdict, not an error)
    """A check failed; `detail` says what was seen, in words of ours, never in content of the file."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class NotApplicable(Exception):  # noqa: N818 (an answer, not an error)
    """A check has nothing to say about this file."""


class Opened(Protocol):
    """What a library gives for an opened file."""

    def close(self) -> None:
        """Let go of memory and of the file."""


@dataclass
class Subject:
    """A file under examination. The checks fill it in; `facts` is what they found."""

    file: BinaryIO
    size: int
    promised: Kind | None = None
    limits: Limits = field(default_factory=Limits)
    head: bytes = b""
    format: Format = field(default_factory=lambda: Format("unknown", ""))
    kind: Kind | None = None
    opened: Opened | None = None
    end: int = 0
    """Where the content ends; bytes after it belong to no part of the format."""
    stated: tuple[float | None, float | None] = (None, None)
    """Seconds by the headers of an ISO base media file: of the movie, and of all fragments together."""
    found: dict[str, object] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    not_applicable: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, file: BinaryIO, promised: Kind | None, limits: Limits) -> "Subject":
        """The subject for a seekable file, read from its start."""
        size = file.seek(0, 2)
        return cls(file, size, promised, limits, read_at(file, 0, HEAD_BYTES), end=size)

    def opened_as(self, kind: type[T]) -> T:
        """The opened file; a TypeError means that the checks are in a wrong order."""
        if not isinstance(self.opened, kind):
            raise TypeError(f"the file is not opened as {kind.__name__}")
        return self.opened

    def note(self, word: str) -> None:
        """Keep an oddity that is no fault, once."""
        if word not in self.notes:
            self.notes.append(word)

    def ends_at(self, position: int) -> None:
        """The content ends here; more bytes are no fault, but they are noted."""
        self.end = min(self.end, position)
        if position < self.size:
            self.note("trailing_bytes")

    def facts(self) -> Facts:
        """What was found; call it only after every check has passed."""
        if self.kind is None:
            raise TypeError("no check has found out the kind")
        content_type, extension = self.format.types[self.kind]
        return Facts.model_validate(
            {
                "kind": self.kind,
                "content_type": content_type,
                "extension": extension,
                "container": self.format.name,
                "notes": tuple(self.notes),
                "checks": tuple(self.passed),
                "not_applicable": tuple(self.not_applicable),
                **self.found,
            }
        )

    def close(self) -> None:
        """Let go of the opened file."""
        if self.opened is not None:
            self.opened.close()


def read_at(file: BinaryIO, position: int, size: int) -> bytes:
    """Up to `size` bytes from `position`; fewer at the end of the file."""
    file.seek(position)
    return file.read(size)


def truncated(what: str) -> Refused:
    """The refusal of a file that ends too early."""
    return Refused(Reason.UNDECODABLE, f"truncated: {what}")
