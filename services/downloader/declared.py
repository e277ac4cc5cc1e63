"""The type that a source gives for its bytes: kept in a clean form to be compared, never believed."""

import re
from collections.abc import Iterable

MAX_CHARACTERS = 100
"""A longer type is none that anybody registered."""

_TYPE = re.compile(r"([a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*)[ \t]*(?:;|\Z)")


def declared_type(headers: Iterable[str]) -> str | None:
    """Type and subtype in lower case, without parameters (RFC 9110, section 8.3.1; RFC 6838, section 4.2).

    None where the headers give none in this form, one of more than `MAX_CHARACTERS`, or several that differ.
    """
    matches = [_TYPE.match(header.strip(" \t").lower()) for header in headers]
    found = {match[1] if match else None for match in matches}
    told = found.pop() if len(found) == 1 else None
    return told if told and len(told) <= MAX_CHARACTERS else None
