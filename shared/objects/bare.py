"""Answers of a store as they are, refusals too, for those who ask how a store behaves."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from minio.error import InvalidResponseError, MinioException, S3Error, ServerError
from urllib3 import BaseHTTPResponse
from urllib3.exceptions import HTTPError

from shared.objects.errors import code_of, meaning_of
from shared.objects.pool import READ_SECONDS, open_pool


@dataclass(frozen=True)
class Reply:
    """The HTTP status, the S3 error code (empty without one), the headers with names in lower case, and the body."""

    status: int
    code: str
    headers: Mapping[str, str]
    body: str

    @property
    def good(self) -> bool:
        """Whether the store did what it was asked to."""
        return self.status < 300 and not self.code

    @property
    def spoken(self) -> str:
        """The status and the code, for a person."""
        return f"{self.status} {self.code}".strip()

    @property
    def date(self) -> datetime | None:
        """The store's own time in its answer, if it told one."""
        try:
            return parsedate_to_datetime(self.headers["date"]).astimezone(UTC)
        except (KeyError, ValueError):
            return None


def answered(ask: Callable[[], BaseHTTPResponse], bucket: str, key: str) -> Reply:
    """The answer to a request of the client, whether the store did it or refused. Raises Failure without an answer."""
    try:
        return _reply(ask())
    except S3Error as error:
        return Reply(error.response.status, error.code or "", _lower(error.response.headers), "")
    except InvalidResponseError as error:
        body = error._body or ""
        return Reply(error._code, code_of(body), {}, body)
    except ServerError as error:
        return Reply(error.status_code, "", {}, "")
    except (MinioException, HTTPError) as error:
        raise meaning_of(error, bucket, key) from None


def follow(link: str) -> Reply:
    """What the store answers to a link that it signed, as anybody may follow it; its body is read as Latin-1.

    Raises Failure where no answer comes. The link is a credential, and part of no error.
    """
    try:
        return _reply(open_pool(READ_SECONDS).request("GET", link, redirect=False))
    except (HTTPError, ValueError) as error:
        raise meaning_of(error, "", "") from None


def _reply(response: BaseHTTPResponse) -> Reply:
    body = response.data.decode("latin-1")
    # An error inside a 200 is one all the same.
    return Reply(response.status, code_of(body), _lower(response.headers), body)


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}
