"""What is kept of an event's free words: no link and no credential, and the rest as it was told."""

import re
from hashlib import sha256
from typing import Any

from shared.messages import OutputFailed, Provenance
from shared.messages.fields import MAX_NAME_BYTES
from shared.redaction import redact
from shared.redaction.names import HIDDEN, is_secret_name
from shared.redaction.urls import hide_urls

MOST_LETTERS = 200
"""Characters of a provider's word that are kept."""
_MAY_HOLD_A_URL = re.compile(r":\\*/|%3a|=", re.I)


def kept_provenance(provenance: Provenance) -> dict[str, Any]:
    """The provenance, JSON-ready; a prompt comes with the digest of what it was before any link in it was cut."""
    told = provenance.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    if provenance.prompt is not None:
        told["prompt_sha256"] = sha256(provenance.prompt.encode()).hexdigest()
    kept: dict[str, Any] = _clean(told)
    return kept


def kept_failure(data: OutputFailed) -> dict[str, object]:
    """The provider's code and words."""
    return redact({name: text for name, text in (("code", data.code), ("message", data.message)) if text})


def kept_word(text: str | None) -> str | None:
    """A word of a provider as it is kept: of printable characters, and short enough for a name; None for none."""
    shown = "".join(character if character.isprintable() else " " for character in redact(text or ""))
    return shown.strip()[:MOST_LETTERS].encode()[:MAX_NAME_BYTES].decode(errors="ignore").strip() or None


def _clean(value: Any) -> Any:
    # Not `redact`, which is for evidence: it would cut long lists, and hide what only looks like a credential.
    if isinstance(value, str):
        return hide_urls(value) if _MAY_HOLD_A_URL.search(value) else value
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {name: HIDDEN if _is_credential(name, item) else _clean(item) for name, item in value.items()}
    return value


def _is_credential(name: str, item: Any) -> bool:
    return isinstance(item, str) and is_secret_name(name)
