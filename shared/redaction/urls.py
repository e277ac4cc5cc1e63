"""URLs in free text: raw, percent-coded or JSON-escaped, each is cut to its scheme and host."""

import re

from shared.redaction.names import HIDDEN

# Repeats are bounded, so that no text costs more than its length.
_COLON = r"(?::|%(?:25){0,4}3a|\\{1,4}u003a)"
_SLASH = r"(?:\\{0,4}/|\\{1,4}(?:u002|x2)f|%(?:25){0,4}2f|\\)"
_AT = re.compile(r"@|%(?:25){0,4}40|\\{1,4}u0040", re.I)
_AUTHORITY_END = re.compile(r"[/?#\\]|%(?:25){0,4}(?:2f|3f|23|5c)", re.I)
_FIRST_SLASH = re.compile(_SLASH, re.I)
_QUERY = re.compile(r"\?|%(?:25){0,4}3f|\\{1,4}u003f", re.I)
# Some clients take `https:/host` for a URL. An s3 URI names an object of our own store and is no credential.
_URL = re.compile(
    rf"(?!s3{_COLON})(?:([a-z][a-z0-9+.\-]{{0,30}}){_COLON}{_SLASH}{{2}}|(https?){_COLON}(?={_SLASH}))", re.I
)
_HOST = re.compile(r"(?:[a-z0-9._\-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?", re.I)
_WORD = re.compile(r'[^\s"<>]+', re.A)


def hide_urls(text: str) -> str:
    """The text with every URL as `scheme://host/...`, and without request targets that have a query."""
    return _WORD.sub(lambda found: _word(found[0]), text)


def _word(word: str) -> str:
    url = _URL.search(word)
    if url is None:
        return _target(_userinfo(word))
    return _target(_userinfo(word[: url.start()])) + _safe((url[1] or url[2]).lower(), word[url.end() :])


def _safe(scheme: str, rest: str) -> str:
    bare = rest.rstrip(".,;:)}'")
    if _HOST.fullmatch(bare):
        return f"{scheme}://{rest}"
    end = _AUTHORITY_END.search(rest)
    authority, path = (rest[: end.start()], rest[end.start() :]) if end else (bare, "")
    host = _AT.split(authority)[-1]
    # An at-sign further on may mean a password with a slash in it, so that this "host" is its user.
    known = _HOST.fullmatch(host) and not _AT.search(path)
    return f"{scheme}://{host if known else HIDDEN}/..."


def _userinfo(word: str) -> str:
    user, at, rest = word.rpartition("@")
    return f"{HIDDEN}@{rest}" if at and ":" in user else word


def _target(word: str) -> str:
    slash = _FIRST_SLASH.search(word)
    return f"{word[: slash.start()]}/..." if slash and _QUERY.search(word, slash.end()) else word
