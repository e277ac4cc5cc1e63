"""The services and their keys, as far as their addresses and files are known."""

import stat
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit
from uuid import UUID

from outlast.custody.doctor.finding import Finding, error, ok, warning
from outlast.custody.doctor.scene import NotTold, Scene
from shared.vault import Vault

ANSWER_SECONDS = 5.0
MOST_WORDS = 300
_NOBODY = UUID(int=0)


def services_ready(scene: Scene) -> Finding:
    """Each service says at /readyz that it is ready."""
    if not scene.services:
        raise NotTold("give the address of a service's health by --service NAME=URL")
    unready = [f"{name} ({text})" for name, base in scene.services.items() if (text := _unready(base))]
    if unready:
        return error(f"Not ready: {'; '.join(unready)}.", "Its stage stands still: see its log, and what it says here.")
    return ok(f"Ready: {', '.join(scene.services)}.", "Each service reaches what it needs.")


def keyring(scene: Scene) -> Finding:
    """The ring of sealing keys can be read, and seals and opens."""
    if scene.keyring is None:
        raise NotTold("set OUTLAST_KEYRING_FILE")
    vault = Vault.open_ring(scene.keyring)
    vault.unseal(_NOBODY, _NOBODY, vault.seal(_NOBODY, _NOBODY, "outlast"))
    if scene.keyring.stat().st_mode & stat.S_IROTH:
        return warning("Every user of this machine may read the key ring.", "Whoever reads it opens links: chmod o-r.")
    return ok(
        "The key ring seals and opens.", "Links can be kept; keep its older keys as long as links sealed by them."
    )


def _unready(base: str) -> str:
    """What a service lacks; empty when it is ready."""
    parts = urlsplit(base)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    try:
        with closing(kind(parts.hostname or "", parts.port, timeout=ANSWER_SECONDS)) as connection:
            connection.request("GET", f"{parts.path.rstrip('/')}/readyz")
            answer = connection.getresponse()
            text = answer.read(MOST_WORDS).decode(errors="replace").strip()
    except (OSError, HTTPException, ValueError) as failed:
        return f"no answer: {type(failed).__name__}"
    return "" if answer.status == 200 else f"{answer.status} {' '.join(text.split())}"
