"""What the doctor is told by the same `OUTLAST_*` variables as the services."""

from pathlib import Path

from pydantic import HttpUrl

from outlast.custody.doctor.scene import Buckets
from outlast.surroundings import Variables
from shared.errors import UsageError
from shared.objects import Store
from shared.settings import secret_from

PART_BYTES = 5 * 2**20
"""The least that every S3 takes, so that two parts are soon sent."""


class DoctorVariables(Variables):
    """The store and its buckets; without an endpoint no store is looked at."""

    s3_endpoint: HttpUrl | None = None
    s3_region: str = "us-east-1"
    s3_access_key: str = ""
    s3_secret_key_file: Path | None = None
    staging_bucket: str = "outlast-staging"
    assets_bucket: str = "outlast-assets"
    input_bucket: str = "outlast-input"
    output_bucket: str = "outlast-output"
    input_prefix: str = ""
    keyring_file: Path | None = None

    @property
    def buckets(self) -> Buckets:
        """The names of the buckets."""
        return Buckets(self.staging_bucket, self.assets_bucket, self.input_bucket, self.output_bucket)

    def store(self) -> Store | None:
        """The store under the doctor's own key."""
        return self._opened(self.s3_access_key, self.s3_secret_key_file)

    def anonymous(self) -> Store | None:
        """The store without a key, as a stranger finds it."""
        return self._opened("", None)

    def role(self, told: str) -> Store:
        """The store under the key of a role, `ACCESS_KEY:SECRET_FILE`. Raises UsageError."""
        access_key, _, file = told.partition(":")
        store = self._opened(access_key, Path(file)) if access_key and file else None
        if store is None:
            raise UsageError("A role is told as NAME=ACCESS_KEY:SECRET_FILE, beside OUTLAST_S3_ENDPOINT.")
        return store

    def _opened(self, access_key: str, secret_file: Path | None) -> Store | None:
        if self.s3_endpoint is None:
            return None
        secret = secret_from(secret_file)
        return Store.open(str(self.s3_endpoint), self.s3_region, access_key, secret, part_bytes=PART_BYTES)
