"""Names of parameters, headers and fields whose value is a secret, and how they look in free text."""

import re

HIDDEN = "[hidden]"

# `%26sig` and `\u0026sig` begin a parameter as `&sig` does.
_AFTER_CODE = r"(?<=26)|(?<=3f)|(?<=23)|(?<=3b)"
_NAME = (
    rf"(?:(?:(?<![a-z0-9])|{_AFTER_CODE})(?:sig|sign|hmac|jwt|auth|pwd|pass|policy|sas)(?![a-z0-9_\-])"
    rf"|(?:(?<![\w\-])|{_AFTER_CODE})key(?![\w\-])"
    r"|(?:signature|stringtosign|canonicalrequest|token|secret|passw|passphrase|credential|authorization|cookie"
    r"|hdn[a-z]+|(?:api|access|auth|account|private|shared|signing|sealing|session)[-_]?key"
    r"|key[-_]?(?:pair[-_]?)?id|access[-_]?id|x[-_](?:amz|goog|oss|tos|bce|obs|cos|ms)[-_])[\w\-]{0,40})"
)
_SEPARATOR = (
    r"""(?:["'\\]{0,8}\s*(?:=>|[:=]|%(?:25){0,4}3[ad]|\\{1,4}u003[ad])"""
    r"""|["'\\]{1,8}\s*,(?=\s*b?\\{0,4}["']))\s*(?!\[hidden\](?:["'\s]|\Z))"""
)
# A quote inside is escaped by a backslash, or in SQL doubled.
_QUOTED = r"""b?(?P<quote>\\{0,4}["'])(?:(?P=quote){2}|(?!(?P=quote))(?:\\.|.))*"""
_ELEMENT = re.compile(rf"<(?P<tag>[^<>]{{0,64}}?{_NAME}[^<>]{{0,64}})>[^<]*", re.I)
# Their values hold spaces and commas.
_HEADER = re.compile(rf"(?P<name>(?:authorization|cookie){_SEPARATOR})(?:{_QUOTED}|[^\r\n]+)", re.I | re.S)
_PARAMETER = re.compile(rf"(?P<name>{_NAME}{_SEPARATOR})(?:{_QUOTED}|[^\s&]+)", re.I | re.S)
_SECRET_NAME = re.compile(_NAME, re.I)


def is_secret_name(name: str) -> bool:
    """Whether a field of this name holds a secret: `sig`, `X-Amz-Signature`, `api_key`, `Cookie`, ..."""
    return _SECRET_NAME.search(name) is not None


def hide_named(text: str) -> str:
    """The text with `[hidden]` after every secret name: as a parameter, a header, JSON, a repr, or XML."""
    text = _ELEMENT.sub(rf"<\g<tag>>{HIDDEN}", text)
    text = _HEADER.sub(rf"\g<name>\g<quote>{HIDDEN}", text)
    return _PARAMETER.sub(rf"\g<name>\g<quote>{HIDDEN}", text)
