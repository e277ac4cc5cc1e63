"""The names of our objects: the staging key of a claim, and the deterministic durable key of an asset."""

import hashlib
import re
from dataclasses import dataclass
from uuid import UUID

from shared.messages import ACCOUNT

STAGING_PREFIX = "staging/"
"""Under it lie the unproven bytes of claims."""
OUTPUT_PREFIX = "output/"
"""Under it lie the results of processors."""

_FACTS = ".outlast.json"
_PART = re.compile(r"[A-Za-z0-9._-]{1,64}")
_WORD = re.compile(r"[a-z0-9]{1,16}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_STAGING_KEY = re.compile(rf"{STAGING_PREFIX}({_UUID})/([1-9][0-9]{{0,8}})-({_UUID})")


def durable_key(
    kind: str, account: str, operation_id: str, attempt_id: str, output_id: str, sha256: str, extension: str
) -> str:
    """The key of an asset: `{kind}/{account}/{operation_id}/{attempt_id}/{output_id}-{sha256}.{extension}`.

    The three ids are a producer's words; one that does not fit a key is replaced by 32 hex of its SHA-256.
    The others are ours: one of a wrong form (kind and extension: 1 to 16 of `a-z0-9`) raises ValueError.
    """
    ours = ((kind, _WORD), (account, ACCOUNT), (sha256, _SHA256), (extension, _WORD))
    for value, form in ours:
        if not form.fullmatch(value):
            raise ValueError("kind, account, digest or extension has a wrong form")
    name = f"{key_part(output_id)}-{sha256}.{extension}"
    return "/".join((kind, account, key_part(operation_id), key_part(attempt_id), name))


def key_part(name: str) -> str:
    """The name itself if it is `[A-Za-z0-9._-]{1,64}` and no dots alone, else 32 hex of its SHA-256."""
    if _PART.fullmatch(name) and name not in {".", ".."}:
        return name
    # A lone surrogate, possible in JSON, has no UTF-8; it must still have a key.
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def staging_key(task_id: UUID, epoch: int, lease_id: UUID) -> str:
    """The key of the unproven bytes of one claim; no other claim ever writes there."""
    return f"{STAGING_PREFIX}{task_id}/{epoch}-{lease_id}"


@dataclass(frozen=True)
class StagingKey:
    """What the key of staged bytes tells of the claim that wrote them."""

    task_id: UUID
    epoch: int
    lease_id: UUID


def read_staging_key(key: str) -> StagingKey | None:
    """The claim in a staging key; None for a key that no claim of ours has."""
    found = _STAGING_KEY.fullmatch(key)
    return StagingKey(UUID(found[1]), int(found[2]), UUID(found[3])) if found else None


def input_key(prefix: str, account: str, name: str) -> str:
    """The key of an object that an account puts into the input bucket. Raises ValueError for a wrong part."""
    if not ACCOUNT.fullmatch(account) or not name.strip("/"):
        raise ValueError("account or name has a wrong form")
    return f"{prefix}{account}/{name}"


def account_of_input(prefix: str, key: str) -> str | None:
    """The account that a key of the input bucket belongs to; None for a key that is not under the prefix and one.

    A key with `.` or `..` between its slashes is no input: clients of S3 refuse it, and paths mean another by it.
    """
    account, slash, name = key.removeprefix(prefix).partition("/")
    is_below = key.startswith(prefix) and bool(slash and name and ACCOUNT.fullmatch(account))
    return account if is_below and not {".", ".."} & set(key.split("/")) else None


def facts_key(key: str) -> str:
    """The key of the JSON file of facts beside an asset."""
    return f"{key}{_FACTS}"


def asset_of(key: str) -> str:
    """The key of the asset that an object belongs to: the asset itself, or its file of facts."""
    return key.removesuffix(_FACTS)
