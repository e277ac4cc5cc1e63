"""What a transfer saw, in a form that may be kept: no URL, no credential, nothing unbounded."""

import hashlib
import re
from dataclasses import asdict, dataclass, field
from time import monotonic

from shared.egress import Answer
from shared.redaction import redact

SNIPPET_BYTES = 512
"""Bytes of an error body that are kept."""

_HEADERS = ("content-type", "content-length", "content-encoding", "date", "server", "retry-after")
_HEADER_CHARACTERS = 100
_UNPRINTABLE = re.compile(r"[^\x20-\x7e]+")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,64}>")
_TOKEN = re.compile(r"""[^\s"'<>{}\[\],;:()]{25,}|[^\s"'<>]*[/\\?&=%@][^\s"'<>]*""")


@dataclass
class Sighting:
    """Collects the evidence of one transfer while it runs."""

    began: float = field(default_factory=monotonic)
    answer: Answer | None = None
    coding: str | None = None
    wire_bytes: int = 0
    stored_bytes: int = 0
    resumes: int = 0
    snippet: str | None = None
    _wire_digest: "hashlib._Hash | None" = None

    def codes(self, coding: str | None) -> None:
        """Note the content coding; the coded bytes are hashed too, as a digest may be meant of them."""
        self.coding = coding
        self._wire_digest = hashlib.sha256() if coding else None

    def received(self, block: bytes) -> None:
        """Count a block that came over the wire."""
        self.wire_bytes += len(block)
        if self._wire_digest:
            self._wire_digest.update(block)

    @property
    def wire_sha256(self) -> str | None:
        """SHA-256 of the coded bytes so far; None when they are the stored bytes."""
        return self._wire_digest.hexdigest() if self._wire_digest else None

    def saw_error_body(self, body: bytes) -> None:
        """Keep the beginning of an error body."""
        if self.answer and body:
            is_text = b"\0" not in body[:SNIPPET_BYTES]
            self.snippet = safe_text(self.answer, body[:SNIPPET_BYTES]) if is_text else "binary"

    def evidence(self) -> dict[str, object]:
        """All of it so far, JSON-ready."""
        seen: dict[str, object] = {
            "seconds": round(monotonic() - self.began, 3),
            "wire_bytes": self.wire_bytes,
            "stored_bytes": self.stored_bytes,
        }
        if answer := self.answer:
            seen |= {
                "status": answer.status,
                "hops": [asdict(hop) for hop in answer.hops],
                "headers": _headers(answer),
                "framing": answer.framing,
                "clock_offset": None if answer.clock_offset is None else round(answer.clock_offset, 1),
            }
        if self.resumes:
            seen["resumes"] = self.resumes
        if self.coding:
            seen["coding"] = self.coding
        if self.snippet:
            seen["body"] = self.snippet
        return seen


def safe_text(answer: Answer, body: bytes) -> str:
    """The readable words of an error body; what looks like a URL or a token, or was in ours, is cut."""
    text = answer.conceal(body.decode("utf-8", "replace"))
    text = _UNPRINTABLE.sub(" ", redact(text))
    text = _TOKEN.sub("[cut]", _TAG.sub(lambda tag: " " if tag[0][1] == "/" else f"{tag[0][1:-1]}: ", text))
    return " ".join(text.split())


def _headers(answer: Answer) -> dict[str, str]:
    found = {name: ", ".join(answer.headers.getlist(name)) for name in _HEADERS}
    return {name: _header(answer, value) for name, value in found.items() if value}


def _header(answer: Answer, value: str) -> str:
    return _UNPRINTABLE.sub(" ", redact(answer.conceal(value)))[:_HEADER_CHARACTERS]
