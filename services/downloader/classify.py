"""What an answer other than a good 200 means: by status, by the words of its body, and by the clock."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from shared.reasons import Reason

EARLY_SECONDS = 30.0
"""How long after the output was ready a 404 may mean that it has not spread yet."""

R = Reason


@dataclass(frozen=True)
class Moment:
    """What is known when an answer is judged; instants are aware.

    `now` is by the source's own clock where it told, `since_ready` the seconds since the output was ready;
    `credentialed` says that it was shown our credential, and `newer_credential` that this took the place of another
    since then.
    """

    now: datetime
    since_ready: float
    expires_at: datetime | None
    credentialed: bool
    newer_credential: bool = False

    @property
    def is_expired(self) -> bool:
        """Whether the link's known end has come."""
        return self.expires_at is not None and self.now >= self.expires_at

    @property
    def is_early(self) -> bool:
        """Whether the output became ready only now."""
        return self.since_ready < EARLY_SECONDS


CODES: Mapping[str, Reason] = {
    **dict.fromkeys(("ExpiredToken", "TokenExpired", "RequestExpired", "ExpiredTokenException"), R.URL_EXPIRED),
    **dict.fromkeys(("SlowDown", "Throttling", "TooManyRequests", "RequestLimitExceeded"), R.RATE_LIMITED),
    **dict.fromkeys(
        ("InternalError", "ServiceUnavailable", "ServerBusy", "OperationTimedOut", "RequestTimeout"),
        R.SOURCE_UNAVAILABLE,
    ),
    **dict.fromkeys(
        (
            "AccessDenied",
            "AuthenticationFailed",
            "AuthorizationQueryParametersError",
            "InvalidAccessKeyId",
            "InvalidArgument",
            "InvalidToken",
            "PublicAccessNotPermitted",
            "RequestTimeTooSkewed",
            "SignatureDoesNotMatch",
        ),
        R.URL_REFUSED,
    ),
    **dict.fromkeys(
        (
            "BlobNotFound",
            "ContainerNotFound",
            "NoSuchBucket",
            "NoSuchKey",
            "NoSuchVersion",
            "ResourceNotFound",
        ),
        R.SOURCE_GONE,
    ),
}
"""Error codes of object stores (S3, GCS, Azure, OSS, TOS) that mean one thing, whatever the status."""

_CODE = re.compile(rb"<Code>\s*([A-Za-z.]{1,64})\s*</Code>|\"[Cc]ode\"\s*:\s*\"([A-Za-z.]{1,64})\"")
_PAGE = re.compile(rb"<html|<!doctype html", re.IGNORECASE)
_EXPIRED_WORDS = re.compile(
    rb"(?:request|url|link|signature|token|policy|access)\W{0,3}(?:has|is|have|was)?\W{0,3}expired"
    rb"|expired\W{0,3}(?:request|url|link|signature|token)|not valid in the specified time frame",
    re.IGNORECASE,
)


def reason_of(status: int, body: bytes, moment: Moment) -> Reason:
    """The reason of an answer that is not the output; `body` is its beginning."""
    if moment.credentialed and status in (401, 403):
        return R.CREDENTIAL_REFUSED
    if moment.credentialed and status == 202:
        # A provider's API says so as long as the job runs.
        return R.SOURCE_UNAVAILABLE
    spoken, by_status = _spoken(status, body), _by_status(status)
    if status >= 500 or by_status is R.RATE_LIMITED:
        return R.RATE_LIMITED if spoken is R.RATE_LIMITED else by_status
    is_error = status == 200 or status >= 400
    return _dated(spoken if spoken and is_error else by_status, status, moment)


def _spoken(status: int, body: bytes) -> Reason | None:
    # A page for people may hold any words, and with 200 it is most often one that passes.
    if _EXPIRED_WORDS.search(body) and not (status == 200 and _PAGE.search(body)):
        return R.URL_EXPIRED
    match = _CODE.search(body)
    return CODES.get((match[1] or match[2]).decode("ascii")) if match else None


def _by_status(status: int) -> Reason:
    if status >= 500 or status in (408, 409, 425):
        return R.SOURCE_UNAVAILABLE
    known = {
        200: R.ERROR_BODY,
        202: R.EARLY_NOT_FOUND,
        204: R.EMPTY_BODY,
        205: R.EMPTY_BODY,
        429: R.RATE_LIMITED,
    }
    if status in known:
        return known[status]
    if status in (404, 410):
        return R.SOURCE_GONE
    return R.URL_REFUSED if status >= 400 else R.PROTOCOL_VIOLATION


def _dated(reason: Reason, status: int, moment: Moment) -> Reason:
    """The clock's part: a refusal after the end is an expiry, and a 404 right after the birth is only early."""
    if reason is R.SOURCE_GONE and status != 410 and moment.is_early and not moment.is_expired:
        return R.EARLY_NOT_FOUND
    if reason is R.URL_REFUSED and moment.is_expired:
        return R.URL_EXPIRED
    if reason is R.SOURCE_GONE and moment.credentialed and moment.newer_credential:
        # Where a job belongs to one key, any other is told that there is none.
        return R.CREDENTIAL_REFUSED
    return reason
