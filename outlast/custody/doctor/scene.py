"""What the doctor is told: where the store, the database, the broker and the services are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from shared.objects import Store

SCRATCH = ".outlast-doctor/"
"""Under it lies whatever a check writes, in every bucket; no account has a dot, so that none of it is input."""


class NotTold(Exception):  # noqa: N818
    """A check lacks what it needs; the text says what that is."""


@dataclass(frozen=True)
class Buckets:
    """The four buckets as the services have them."""

    staging: str = "outlast-staging"
    assets: str = "outlast-assets"
    input: str = "outlast-input"
    output: str = "outlast-output"

    @property
    def all(self) -> dict[str, str]:
        """Each name by what it is for."""
        return {"input": self.input, "staging": self.staging, "assets": self.assets, "output": self.output}


@dataclass(frozen=True)
class Scene:
    """What is known; what is None is not looked at. URLs have their passwords in them."""

    full_store: Store | None = None
    """The store under a key that may do everything in the four buckets."""
    anonymous: Store | None = None
    buckets: Buckets = Buckets()
    input_prefix: str = ""
    roles: Mapping[str, Store] = field(default_factory=dict)
    """The store under the key of each role."""
    database_url: str | None = field(default=None, repr=False)
    amqp_url: str | None = field(default=None, repr=False)
    services: Mapping[str, str] = field(default_factory=dict)
    """The base URL of each service's health."""
    keyring: Path | None = None
    prefix: str = field(default_factory=lambda: f"{SCRATCH}{uuid4().hex}/")

    @property
    def store(self) -> Store:
        """The store. Raises NotTold."""
        if self.full_store is None:
            raise NotTold("set OUTLAST_S3_ENDPOINT and its key")
        return self.full_store

    def key(self, name: str) -> str:
        """A scratch key."""
        return self.prefix + name
