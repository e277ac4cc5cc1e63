"""The type that the source declared against the one of the bytes; the bytes decide, a difference is told."""

from services.verifier.facts import Facts

NOTE = "declared_type_differs"
OPAQUE = frozenset(
    {"application/octet-stream", "binary/octet-stream", "application/binary", "application/x-download"}
)  # fmt: skip
"""Types that say nothing."""

SAME = {
    "application/ogg": "audio/ogg",
    "application/x-pdf": "application/pdf",
    "application/x-zip": "application/zip",
    "application/x-zip-compressed": "application/zip",
    "audio/aacp": "audio/aac",
    "audio/m4a": "audio/mp4",
    "audio/mp3": "audio/mpeg",
    "audio/opus": "audio/ogg",
    "audio/vnd.wave": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/x-aac": "audio/aac",
    "audio/x-flac": "audio/flac",
    "audio/x-m4a": "audio/mp4",
    "audio/x-wav": "audio/wav",
    "image/heif": "image/heic",
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/vnd.microsoft.icon": "image/x-icon",
    "image/x-ms-bmp": "image/bmp",
    "image/x-png": "image/png",
    "text/json": "application/json",
    "video/avi": "video/x-msvideo",
    "video/msvideo": "video/x-msvideo",
    "video/matroska": "video/x-matroska",
    "video/x-m4v": "video/mp4",
}
"""Other names of types that the policy names."""

TEXTS = frozenset({"text/csv", "text/markdown", "text/srt", "text/vtt", "application/x-subrip"})
"""Sorts of text that cannot be told from plain text by its bytes."""


def with_declared(facts: Facts, declared: str | None) -> Facts:
    """The facts with what the source declared, and a note where that names another type."""
    differs = declared is not None and type_differs(facts, declared)
    notes = (*facts.notes, NOTE) if differs else facts.notes
    return facts.model_copy(update={"declared_type": declared, "notes": notes})


def type_differs(facts: Facts, declared: str) -> bool:
    """Whether a declared type names another one than the bytes have; a type that says nothing does not."""
    if declared in OPAQUE or facts.content_type in OPAQUE:
        return False
    if declared in TEXTS and facts.content_type == "text/plain":
        return False
    return SAME.get(declared, declared) != facts.content_type
