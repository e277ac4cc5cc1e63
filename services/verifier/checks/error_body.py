"""What a server sends in place of an output: JSON that holds nothing but an error, and the tags that begin a page."""

import re

WORDS = frozenset(
    (
        *("error", "errors", "error_code", "error_message", "error_description", "error_type", "errorcode"),
        *("errormessage", "code", "status", "statuscode", "status_code", "message", "msg", "detail", "details"),
        *("title", "type", "reason", "request_id", "requestid", "trace_id", "timestamp", "path", "instance"),
        *("success", "ok"),
    )
)
"""Keys of which an error is made, in lower case; JSON with any other key holds content."""

TOLD = ("message", "msg", "detail", "error_message", "error_description", "errormessage")
FAILED = frozenset(("error", "fail", "failed", "failure"))
HTTP_ERROR = range(400, 600)

TAGS = "html|head|body|title|script|style|iframe|meta|table|font|div|p|br|h[1-6]|img|center"
"""Tags that begin an HTML page, most of them those by which browsers tell one (WHATWG, MIME sniffing, 7.1)."""

XML_TAGS = "svg|math|rss|feed|rdf:rdf|smil"
"""Elements that begin other documents which a browser shows."""

PAGE = re.compile(rf"(?><!--.*?-->\s*|<\?[^>]*>\s*)*</?(?:{TAGS})(?:[\s/>]|\Z)", re.DOTALL)
"""The start of a page in lower case, without leading space."""


def json_says_error(value: object) -> bool:
    """Whether JSON says an error, by a key of that name or by being nothing but an error."""
    has_error = isinstance(value, dict) and (value.get("error") or value.get("errors"))
    return bool(has_error) or json_is_error(value)


def json_is_error(value: object) -> bool:
    """Whether JSON has words of an error and no other content."""
    if not isinstance(value, dict):
        return False
    said = {key.lower(): item for key, item in value.items()}
    if not said.keys() <= WORDS or _says_success(said):
        return False
    return bool(said.get("error")) or _says_failure(said) or any(_is_told(said.get(key)) for key in TOLD)


def _says_success(said: dict[str, object]) -> bool:
    codes = [said.get(key) for key in ("code", "status", "statuscode", "status_code")]
    is_good = any(isinstance(code, int) and (code == 0 or 200 <= code < 300) for code in codes)
    return is_good or True in (said.get("success"), said.get("ok")) or _word(said) in {"ok", "success", "succeeded"}


def _says_failure(said: dict[str, object]) -> bool:
    codes = [said.get(key) for key in ("code", "status", "statuscode", "status_code")]
    is_bad = any(isinstance(code, int) and code in HTTP_ERROR for code in codes)
    return is_bad or said.get("success") is False or said.get("ok") is False or _word(said) in FAILED


def _word(said: dict[str, object]) -> str:
    return str(said.get("status", "")).lower()


def _is_told(item: object) -> bool:
    """Whether this is a sentence, or a list of faults such as a validation gives."""
    if isinstance(item, list):
        return bool(item) and all(isinstance(fault, dict) and "msg" in fault for fault in item)
    return isinstance(item, str) and bool(item)
