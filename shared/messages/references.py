"""References to objects in a store: what messages carry in place of bytes."""

from typing import Self

from pydantic import ConfigDict, Field, model_validator

from shared.messages.fields import Bucket, Bytes, Key, Model, Name, Sha256


class ObjectRef(Model):
    """A reference to bytes in the store, never the bytes."""

    bucket: str
    key: str
    version_id: str | None = None
    size: int
    sha256: str


class InputObject(Model):
    """An object under the input prefix, as the answer to its upload named it."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["version_id"]}, {"required": ["etag"]}]})

    bucket: Bucket
    key: Key
    version_id: Name | None = Field(None, description="Its version; required where `etag` is absent.")
    etag: Name | None = Field(None, description="Its ETag, for a bucket without versions.")
    size: Bytes | None = Field(None, description="Bytes; checked if given.")
    sha256: Sha256 | None = Field(None, description="Checked if given.")

    @model_validator(mode="after")
    def _pinned(self) -> Self:
        if self.version_id is None and self.etag is None:
            raise ValueError("version_id or etag is required: the answer to the upload names both")
        return self

    @property
    def pin(self) -> str:
        """What tells these bytes from later ones under the same key: the version, else the ETag."""
        return self.version_id or plain_etag(self.etag or "")


def plain_etag(etag: str) -> str:
    """An ETag without its quotes and in one case, so that two stores' spellings of it are equal."""
    return etag.strip().removeprefix("W/").strip('"').lower()
