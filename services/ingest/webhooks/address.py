"""Callback addresses: each names the accounts that a webhook speaks for, and a token that only we can make."""

import hmac
import json
import re
from base64 import b32encode
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

from shared.errors import UsageError
from shared.messages.fields import ACCOUNT, MAX_NAME_BYTES, no_control, within

TOKEN_BYTES = 20
"""Bytes of the HMAC in a token; 160 bits cannot be guessed, and make 32 letters and digits."""
PROVIDER = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


@dataclass(frozen=True)
class Callback:
    """For whom a webhook speaks."""

    account: str
    provider: str
    provider_account: str


def token(key: bytes, account: str, provider: str, provider_account: str) -> str:
    """What proves that an address was made by us: HMAC-SHA256 over the three names, base32 in lower case."""
    names = json.dumps([account, provider, provider_account]).encode()
    return b32encode(hmac.digest(key, names, "sha256")[:TOKEN_BYTES]).decode().lower()


def path_of(key: bytes, account: str, provider: str, provider_account: str) -> str:
    """The path of a callback address, below the public address of the webhook door.

    It is a credential: whoever knows it may send webhooks to it. Raises UsageError for a name that cannot be in it.
    """
    names = (account, provider, provider_account)
    path = "/".join(("", *(quote(name, safe="", errors="replace") for name in names), token(key, *names)))
    if read_path(path.encode(), [key]) != Callback(*names):
        raise UsageError("A callback address needs an account, a provider and a provider account as events name them.")
    return path


def read_path(path: bytes, keys: Sequence[bytes]) -> Callback | None:
    """The names in the raw path of a request, if its token was made for them under any of the keys; else None."""
    try:
        start, *names, given = [unquote_to_bytes(part).decode() for part in path.split(b"/")]
        account, provider, provider_account = names
    except ValueError:
        return None
    if start or not _can_be(account, provider, provider_account):
        return None
    fits = any(hmac.compare_digest(token(key, *names).encode(), given.encode()) for key in keys)
    return Callback(account, provider, provider_account) if fits else None


def _can_be(account: str, provider: str, provider_account: str) -> bool:
    try:
        within(no_control(provider_account), MAX_NAME_BYTES)
    except ValueError:
        return False
    # Clients take the names . and .. out of a path, however they are written.
    is_name = provider_account not in ("", ".", "..")
    return bool(ACCOUNT.fullmatch(account) and PROVIDER.fullmatch(provider) and is_name)
