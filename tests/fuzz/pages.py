"""Error pages in the words of stores, which echo the link that they refuse."""

import html
import json
import re
from random import Random
from urllib.parse import quote, unquote

_PAGES = (
    "<?xml version='1.0'?><Error><Code>{0}</Code><Message>{1}</Message><Resource>{1}</Resource></Error>",
    '{{"error": {{"code": "{0}", "message": {2}}}}}',
    '{{"{0}": "{1}", "url": {2}}}',
    "<!doctype html><title>{0}</title><a href='{3}'>{1}</a>",
    "[{2}, {2}]",
    "{0} for {1}",
    "<!--{1}--><html>{0} {3}",
)
_CODES = (
    "AccessDenied",
    "ExpiredToken",
    "SlowDown",
    "NoSuchKey",
    "SignatureDoesNotMatch",
    "Request has expired",
    "\u00e9",
)


def error_page(random: Random, url: str) -> bytes:
    """An error in the words of stores, which echoes the link or a part of it in some coding, perhaps late and cut."""
    told = echo(random, url)
    page = random.choice(_PAGES).format(random.choice(_CODES), told, json.dumps(told), html.escape(told, quote=True))
    filler = random.choice((" ", "\n", "a ", "wait, ", "\u00e9 ", "<br>"))
    front = filler * random.choice((0, 0, 0, 40, 90, 220, 490, 505, 2040, 4060, 4090))
    cut = len(page) if random.random() < 0.8 else random.randrange(len(page))
    return (page[:1] + front + page[1:] if page[:1] in "<{[" else front + page)[: len(front) + cut].encode(
        errors="replace"
    )


def echo(random: Random, url: str) -> str:
    """The link `url`, or one of its parts, in some coding."""
    found = re.search(r"://[^/?#]*([^?#]*)\??([^#]*)", url)
    path, query = found.groups() if found else (url, "")
    target = f"{path}?{query}"
    parameters = query.split("&")
    values = [parameter.partition("=")[2] for parameter in parameters]
    part = random.choice((url.partition("#")[0], target, path, f"?{query}", *path.split("/"), *parameters, *values))
    codings = (str, str, unquote, quote, html.escape, str.upper, str.lower, lambda text: quote(text, safe=""))
    return random.choice(codings)(part.encode(errors="replace").decode())
