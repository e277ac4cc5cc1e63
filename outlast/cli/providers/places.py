"""Where the key and the secrets of a provider account are looked for, and whether they are there."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from services.ingest.webhooks.secrets import secrets_of
from shared.errors import Failure
from shared.providers import Provider
from shared.providers.keys import Keys, file_of
from shared.providers.webhook import SECRET_SCHEMES

THERE = "there"


def places(entry: Provider, provider_account: str) -> Iterator[dict[str, str]]:
    """Each file with what it is for and its state: `there`, or why it cannot be used."""
    if entry.credential:
        state = _state(lambda: Keys().of_account(entry, provider_account, datetime.now(UTC)))
        yield _place("key", entry.credential.file, provider_account, state)
    webhook = entry.webhook
    if webhook and webhook.secret_file and webhook.scheme in SECRET_SCHEMES:
        state = _state(lambda: secrets_of(webhook, provider_account))
        yield _place("webhook secrets", webhook.secret_file, provider_account, state)


def key_file(entry: Provider, provider_account: str) -> Path | None:
    """Where the key lies, if the entry names one and the account's name can be in a path."""
    with suppress(Failure):
        return file_of(entry.credential.file, provider_account) if entry.credential else None
    return None


def _state(look: Callable[[], object]) -> str:
    try:
        look()
    except Failure as failure:
        return str(failure.evidence["why"]).rpartition(": ")[2]
    return THERE


def _place(what: str, template: str, provider_account: str, state: str) -> dict[str, str]:
    return {"what": what, "path": template.replace("{provider_account}", provider_account), "state": state}
