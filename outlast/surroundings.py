"""What a processor is told by `OUTLAST_*` variables: where the store and the ledger are."""

from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import Field, HttpUrl, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from shared.errors import UsageError
from shared.settings import secret_from

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.objects import Store


class Variables(BaseSettings):
    """Fields that are the variables `OUTLAST_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix="OUTLAST_", hide_input_in_errors=True, extra="ignore")

    @classmethod
    def read(cls, **told: Any) -> Self:
        """Read the environment, beside what is told (fields, or `_env_file`).

        Raises UsageError naming each variable that is missing or wrong, never its value.
        """
        try:
            return cls(**told)
        except ValidationError as error:
            lines = [f"OUTLAST_{'_'.join(map(str, e['loc']))}".upper() + f": {e['msg']}" for e in error.errors()]
            raise UsageError("Variables are missing or wrong:\n  " + "\n  ".join(lines)) from None


class StoreVariables(Variables):
    """The object store, under the processor's own key."""

    s3_endpoint: HttpUrl = HttpUrl("http://127.0.0.1:9000")
    s3_region: str = "us-east-1"
    s3_access_key: str = ""
    s3_secret_key_file: Path | None = None
    s3_part_bytes: int = Field(8 * 2**20, ge=5 * 2**20)

    def open(self) -> "Store":
        """A store; connects to nothing yet."""
        from shared.objects import Store

        # Read by the store, which reads it again when the key was changed.
        secret = partial(secret_from, self.s3_secret_key_file)
        endpoint = str(self.s3_endpoint)
        return Store.open(endpoint, self.s3_region, self.s3_access_key, secret, part_bytes=self.s3_part_bytes)


class LedgerVariables(Variables):
    """The ledger's database, and the bucket of results."""

    database_url: SecretStr
    database_password_file: Path | None = None
    output_bucket: str = "outlast-output"
    lease_seconds: float = Field(30.0, gt=0)


@cache
def store_of_environment() -> "Store":
    """The store that the environment names, opened once. Raises UsageError."""
    return StoreVariables.read().open()
