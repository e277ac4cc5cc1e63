"""The redaction of one text, bounded in time and length."""

import re

from shared.redaction.names import HIDDEN, hide_named
from shared.redaction.urls import hide_urls

MAX_TEXT = 8192
"""Most characters of one redacted text."""
MAX_SCANNED = 2**16
"""Longest text that is looked at, in characters; the rest is dropped unread."""
CUT = "[left out]"

_PEM = re.compile(r"-----BEGIN [^\-]{0,64}-----.*?(?:-----END [^\-]{0,64}-----|\Z)", re.S)
_SHAPE = re.compile(
    r"(?:(?<=(?i:bearer)[\s+])|(?<=(?i:bearer)%20))\s*[^\s,]+"
    r"|\beyJ[\w\-]{8,}(?:\.[\w\-]+){1,2}"
    r"|\b(?:sk|rk|r8|hf|fal|xai|whsec|ghp)[-_][\w\-]{16,}"
    r"|\b(?:AKIA|ASIA|LTAI|AIza)[\w\-]{12,}"
)
_INPUT = re.compile(r"(?<=input_value=).*?(?=, input_type=|\Z)", re.S)
# Without one of these a text has neither a URL nor a name with a value.
_SIGN = re.compile(r"""[:/=@%\\<"']""")
_TARGETS = (
    re.compile(r"(\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT)\s+)/\S*"),
    re.compile(
        r"""((?:\b(?:url|uri|location|referer|target|retry)["'\\]{0,8}\s*[:=]|\bredirecting|->)\s*["'\\]{0,8})"""
        r"""/[^\s"<>]*""",
        re.I,
    ),
)


def redact_text(text: str) -> str:
    """The text without URLs, request targets and credentials, at most about MAX_TEXT characters long."""
    if len(text) > MAX_SCANNED:
        # Cut between words: half a URL could show its user as its host.
        text = f"{text[:MAX_SCANNED].rpartition(' ')[0]} {CUT}"
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode()
    # Postgres takes no NUL in a text.
    text = _PEM.sub(HIDDEN, text.replace("\0", ""))
    if _SIGN.search(text):
        text = _INPUT.sub(HIDDEN, hide_named(hide_urls(text)))
        for target in _TARGETS:
            text = target.sub(r"\1/...", text)
    text = _SHAPE.sub(HIDDEN, text)
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}... {CUT}"
