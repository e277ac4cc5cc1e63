"""The link of `outlast publish`: from the command line or standard input, and checked before anything is sent."""

import re
import sys
from getpass import getpass
from urllib.parse import urlsplit

from shared.errors import UsageError

_FORBIDDEN = re.compile(r"[\s\x00-\x1f\x7f\\]")


def link_of(url: str | None) -> str | None:
    """The link that `--url` names, `-` being standard input; None without one.

    Raises UsageError, which never shows the link, for one that no source can have.
    """
    if url is None:
        return None
    link = _read() if url == "-" else url
    if fault := fault_of(link):
        raise UsageError(f"The link {fault}. Nothing was sent.")
    return link


def _read() -> str:
    link = getpass("Link (it is not shown): ") if sys.stdin.isatty() else sys.stdin.readline()
    if not link.strip():
        raise UsageError("No link came on standard input. Nothing was sent.")
    return link.strip()


def fault_of(link: str | None) -> str | None:
    """What is wrong with a link; the guard of the downloader judges more strictly, and decides."""
    if link is None:
        return None
    if not link:
        return "is empty; leave --url out where the provider's entry can give one"
    if link[:5].lower() == "data:":
        return None
    if _FORBIDDEN.search(link):
        return "holds blanks, control characters or backslashes, which no URL may"
    try:
        parts = urlsplit(link)
        host, _port = parts.hostname, parts.port
    except ValueError:
        return "is no URL: its host or port cannot be read"
    if parts.scheme not in ("http", "https"):
        return "does not begin with https:// (or http://)"
    if "@" in parts.netloc:
        return "holds a user or a password in front of its host, which Outlast never sends"
    return None if host else "names no host"
