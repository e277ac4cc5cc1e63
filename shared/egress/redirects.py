"""Where a redirect leads, joined by hand so that the target stays as the source wrote it."""

import re

from shared.egress.head import Headers
from shared.egress.url import Target
from shared.errors import Failure
from shared.reasons import Reason

REDIRECTS = frozenset({301, 302, 303, 307, 308})

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def redirect_refused(why: str) -> Failure:
    """A redirect that is not followed; `why` is one fixed word."""
    return Failure(Reason.REDIRECT_REFUSED, {"refused": why})


def next_url(target: Target, headers: Headers) -> str:
    """The absolute URL that an answer of `target` redirects to; raises Failure(REDIRECT_REFUSED)."""
    locations = set(headers.getlist("location"))
    if len(locations) != 1 or locations == {""}:
        raise redirect_refused("location")
    # The head was read as Latin-1; what is not ASCII goes on as the bytes that came.
    raw = locations.pop().encode("latin-1")
    url = _join(target, "".join(chr(byte) if byte < 128 else f"%{byte:02X}" for byte in raw))
    if target.scheme == "https" and not url.lower().startswith("https:"):
        raise redirect_refused("downgrade")
    return url


def _join(target: Target, location: str) -> str:
    if _ABSOLUTE.match(location):
        return location
    if location.startswith("//"):
        return f"{target.scheme}:{location}"
    origin = f"{target.scheme}://{target.authority}"
    if location.startswith("/"):
        return origin + location
    if location.startswith("?"):
        return origin + target.path + location
    path, mark, rest = location.partition("?")
    return origin + _merge(target.path, path) + mark + rest


def _merge(base: str, relative: str) -> str:
    kept = base.split("/")[:-1] or [""]
    for part in relative.split("/"):
        if part == "..":
            kept = kept[:-1] or [""]
        elif part != ".":
            kept.append(part)
    return "/".join(kept)
