"""Why a webhook is not believed."""

from enum import StrEnum


class Why(StrEnum):
    """One word for the log and the metric; none of them tells what was sent."""

    NO_SIGNATURE = "no_signature"
    """The header of the signature or token is missing or empty."""
    BAD_SIGNATURE = "bad_signature"
    """No signature fits: another secret or key, another body, or no signature at all."""
    MISSING_HEADER = "missing_header"
    """A header that is signed is missing or empty."""
    REPEATED_HEADER = "repeated_header"
    """A header that is signed came twice, so that it is not known which one was."""
    BAD_TIMESTAMP = "bad_timestamp"
    """The sending time is no number of seconds."""
    TOO_OLD = "too_old"
    TOO_NEW = "too_new"
    NO_KEY = "no_key"
    """The provider publishes no key that could have signed this."""
    BAD_TOKEN = "bad_token"  # noqa: S105 (a word for the log)
    """The token is none, is for somebody else, or is about another body."""


class Unproven(Exception):  # noqa: N818 (an outcome, not a programming error)
    """This webhook does not come from the provider, or not as it was sent."""

    def __init__(self, why: Why) -> None:
        super().__init__(why.value)
        self.why = why
