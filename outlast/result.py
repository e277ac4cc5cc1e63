"""The result object of a processing: its deterministic key, its writing with proof, and its finding again."""

import hashlib
from dataclasses import dataclass
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from outlast.asset import Asset
from shared.errors import Failure, UsageError
from shared.keys import key_part
from shared.reasons import Reason

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.objects import Store, Stored

Body = bytes | Path
"""What a step made: bytes, or the file that holds them."""

CHUNK_BYTES = 2**20


@dataclass(frozen=True)
class Result:
    """A result in the output bucket; it is a Reference, so that `open_verified` reads it."""

    bucket: str
    key: str
    version_id: str | None
    size: int
    sha256: str
    content_type: str


@dataclass(frozen=True)
class Place:
    """Where the result of one asset and one version of a processor belongs, whoever makes it and whenever."""

    store: "Store"
    bucket: str
    asset: Asset
    processor_version: str
    extension: str

    def __post_init__(self) -> None:
        if not (self.extension.isascii() and self.extension.isalnum() and len(self.extension) <= 16):
            raise UsageError("The extension of a result is 1 to 16 letters and digits, for example jpg.")

    @property
    def key(self) -> str:
        """`output/{task_id}/{processor_version}/{sha256 of the asset}.{extension}`."""
        version = key_part(self.processor_version)
        return f"output/{self.asset.task_id}/{version}/{self.asset.sha256}.{self.extension}"

    def put(self, body: Body, content_type: str) -> Result:
        """Write the result, and read it back.

        Raises Failure for a fault of the store, also (copy_mismatch) when it does not hold what it took.
        """
        with _opened(body) as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            metadata = self._metadata() | {"sha256": sha256}
            with self.store.upload(self.bucket, self.key, content_type=content_type, metadata=metadata) as upload:
                while chunk := file.read(CHUNK_BYTES):
                    upload.write(chunk)
                written = upload.complete()
        stored = self._read_back(written.version_id)
        if stored is None or (stored.size, stored.sha256) != (written.size, sha256):
            raise Failure(Reason.COPY_MISMATCH, {"bucket": self.bucket, "object": self.key})
        return self._result(stored, content_type)

    def find(self) -> Result | None:
        """The result that an earlier run put here and did not record: made of this asset, and whole.

        Raises Failure for a fault of the store.
        """
        head = self.store.stat(self.bucket, self.key)
        if head is None or not self._metadata().items() <= head.metadata.items():
            return None
        stored = self._read_back(head.version_id)
        if stored is None or (stored.size, stored.sha256) != (head.size, head.metadata.get("sha256")):
            return None
        return self._result(stored, head.content_type)

    def _read_back(self, version_id: str | None) -> "Stored | None":
        from shared.objects import NotThere

        try:
            return self.store.digest(self.bucket, self.key, version_id)
        except NotThere:
            return None

    def _metadata(self) -> dict[str, str]:
        return {
            "derived-from": str(self.asset.task_id),
            "derived-from-sha256": self.asset.sha256,
            "processor-version": key_part(self.processor_version),
        }

    def _result(self, stored: "Stored", content_type: str) -> Result:
        return Result(self.bucket, self.key, stored.version_id, stored.size, stored.sha256, content_type)


def _opened(body: Body) -> BufferedReader | BytesIO:
    return body.open("rb") if isinstance(body, Path) else BytesIO(body)
