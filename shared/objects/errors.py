"""What a store's refusal or silence means to us, whatever form the client gives it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from xml.etree.ElementTree import ParseError

from minio.error import InvalidResponseError, MinioException, S3Error, ServerError
from urllib3.exceptions import HTTPError, MaxRetryError

from shared.errors import Failure
from shared.reasons import Reason

_GONE = {"NoSuchKey", "NoSuchVersion"}
_FULL = {"XMinioStorageFull", "QuotaExceeded", "StorageFull", "InsufficientStorage"}
# All of these stay until a person mends the configuration, the key or the clock.
_DENIED = {
    "AuthorizationHeaderMalformed",
    "ExpiredToken",
    "InvalidToken",
    "NoSuchBucket",
    "PermanentRedirect",
    "RequestTimeTooSkewed",
}
# No object can have this name or version, so there is none.
_IMPOSSIBLE = {"InvalidArgument", "InvalidURI", "KeyTooLongError", "NotImplemented", "XMinioInvalidObjectName"}
_PASSING = {"BadDigest", "IncompleteBody", "InternalError", "OperationAborted", "RequestTimeout"}
_CODE = re.compile(r"<Code>([A-Za-z0-9._-]{1,64})</Code>")


class NotThere(KeyError):  # noqa: N818 (an answer, not an error)
    """The store answered, and has no such object or version."""


class Changed(NotThere):
    """The store has an object there, but not the one that the condition names."""


class Transient(Failure):
    """A failure of the store that may pass by itself within seconds."""


class SlowDown(Transient):
    """The store asks for fewer requests."""


@contextmanager
def translated(bucket: str, key: str) -> Iterator[None]:
    """Turn every error of the client into NotThere or Failure, naming nothing but the bucket and the key.

    The client's own error is not chained: its text holds the request and the store's whole answer.
    """
    try:
        yield
    except (MinioException, HTTPError, ParseError, UnicodeDecodeError) as error:
        raise meaning_of(error, bucket, key) from None


@contextmanager
def reading(bucket: str, key: str) -> Iterator[None]:
    """The same for reading one object: a name or version that the client or the store calls impossible is NotThere.

    The store says so in the body of its answer; that to a HEAD has none, and stays a Failure.
    """
    try:
        with translated(bucket, key):
            yield
    except ValueError:
        raise NotThere(bucket, key) from None
    except Failure as failure:
        if failure.evidence.get("code") not in _IMPOSSIBLE:
            raise
        raise NotThere(bucket, key) from None


def refused(bucket: str, key: str, status: int, code: str) -> NotThere | Failure:
    """The meaning of an answer with an HTTP status and an S3 error code (empty if it had none)."""
    evidence = {"bucket": bucket, "object": key, "status": status, "code": code}
    if code in _GONE:
        return NotThere(bucket, key)
    if code == "PreconditionFailed" or status == 412:
        return Changed(bucket, key)
    if code in _FULL or status == 507:
        return Failure(Reason.STORAGE_FULL, evidence)
    if code in _DENIED or status in {401, 403}:
        return Failure(Reason.STORAGE_DENIED, evidence)
    if code.startswith("SlowDown") or status in {429, 503}:
        return SlowDown(Reason.STORAGE_UNAVAILABLE, evidence)
    passing = code in _PASSING or status >= 500 or status == 408
    return (Transient if passing else Failure)(Reason.STORAGE_UNAVAILABLE, evidence)


def is_denied(error: MinioException) -> bool:
    """Whether the store refuses the key or what it asks for."""
    meaning = meaning_of(error, "", "")
    return isinstance(meaning, Failure) and meaning.reason is Reason.STORAGE_DENIED


def meaning_of(error: Exception, bucket: str, key: str) -> NotThere | Failure:
    """What an error of the client means, naming nothing but the bucket and the key."""
    if isinstance(error, S3Error):
        return refused(bucket, key, error.response.status, code_of(f"<Code>{error.code}</Code>"))
    if isinstance(error, InvalidResponseError):
        # rclone answers XML as text/xml, which minio does not read: the code is in the text.
        return refused(bucket, key, error._code, code_of(error._body or ""))
    if isinstance(error, ServerError):
        return refused(bucket, key, error.status_code, "")
    cause = error.reason if isinstance(error, MaxRetryError) and error.reason else error
    evidence = {"bucket": bucket, "object": key, "error": type(cause).__name__}
    return Transient(Reason.STORAGE_UNAVAILABLE, evidence)


def code_of(body: str) -> str:
    """The S3 error code in the body of an answer; empty without one."""
    found = _CODE.search(body)
    return found.group(1) if found else ""
