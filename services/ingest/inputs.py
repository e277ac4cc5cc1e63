"""The input: which objects of the store may start anything, and that none of ours ever does."""

from dataclasses import dataclass
from typing import Self

from shared.errors import UsageError
from shared.keys import OUTPUT_PREFIX, STAGING_PREFIX, account_of_input
from shared.messages import Kind
from shared.settings import Settings


@dataclass(frozen=True)
class Inputs:
    """The bucket and the prefix under which objects are input, below their account's name."""

    bucket: str
    prefix: str

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The input as it is configured. Raises UsageError where an object of our own could be one of it."""
        ours = [
            ("staging", settings.staging_bucket, STAGING_PREFIX),
            *(("assets", settings.assets_bucket, f"{kind}/") for kind in Kind),
            ("output", settings.output_bucket, OUTPUT_PREFIX),
        ]
        for name, bucket, prefix in ours:
            if bucket == settings.input_bucket and _overlap(prefix, settings.input_prefix):
                raise UsageError(
                    f"OUTLAST_INPUT_BUCKET and OUTLAST_INPUT_PREFIX take in what Outlast writes under {prefix} of the "
                    f"{name} bucket, so that its work would start more. Give the input a bucket or a prefix of its own."
                )
        return cls(settings.input_bucket, settings.input_prefix)

    def account_of(self, bucket: str, key: str) -> str | None:
        """The account that an object belongs to; None for one that is no input."""
        return account_of_input(self.prefix, key) if bucket == self.bucket else None


def _overlap(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)
