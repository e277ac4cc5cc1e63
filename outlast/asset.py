"""The asset that a message `asset.complete` hands over: a reference to proven bytes, never the bytes."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self
from uuid import UUID

_SHA256 = re.compile(r"[0-9a-f]{64}")


class Reference(Protocol):
    """Bytes in the store: `size` in bytes, `sha256` of the whole in hex, `version_id` where the bucket has versions."""

    @property
    def bucket(self) -> str:
        """The bucket."""

    @property
    def key(self) -> str:
        """The key in it."""

    @property
    def version_id(self) -> str | None:
        """The version, None in a bucket without versions."""

    @property
    def size(self) -> int:
        """The size in bytes."""

    @property
    def sha256(self) -> str:
        """The digest in hex."""


class NotAnAsset(ValueError):  # noqa: N818 (what the message is not)
    """This message is no `asset.complete` of Outlast; the text names the field that is wrong."""


@dataclass(frozen=True)
class Asset:
    """A complete task's asset; it is a Reference.

    `data` is all that the event says beside it: media facts, flags, provenance, names; nothing in it is certain
    to be there.
    """

    task_id: UUID
    bucket: str
    key: str
    version_id: str | None
    size: int
    sha256: str
    account: str = ""
    kind: str = ""
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_message(cls, body: bytes) -> Self:
        """Read the body of a message, a CloudEvent in JSON; fields that are not known are no fault.

        Raises NotAnAsset.
        """
        try:
            event = json.loads(body)
            data = event["data"]
            where = data["object"]
            task_id, size, version_id = UUID(data["task_id"]), where["size"], where.get("version_id")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise NotAnAsset(f"this is no asset.complete: {type(error).__name__}") from None
        texts = (where.get("bucket"), where.get("key"), where.get("sha256"), version_id or "")
        if not (type(size) is int and size >= 0 and all(isinstance(text, str) for text in texts)):
            raise NotAnAsset("the reference needs a bucket, a key, a size in bytes and a sha256")
        if not (texts[0] and texts[1] and _SHA256.fullmatch(texts[2])):
            raise NotAnAsset("the reference needs a bucket, a key and a sha256 of 64 hexadecimal digits")
        return cls(task_id, *texts[:2], version_id or None, size, texts[2], *_words(data), data)


def _words(data: Mapping[str, Any]) -> tuple[str, str]:
    account, kind = data.get("account"), data.get("kind")
    return (account if isinstance(account, str) else "", kind if isinstance(kind, str) else "")
