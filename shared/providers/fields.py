"""What the values of a provider's file may be."""

import json
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote

import jmespath
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from shared.egress import Refused, parse
from shared.errors import Failure
from shared.reasons import Reason

NAMES = ("job_id", "job_path", "output_id")
"""What may stand in braces in an address or a body: the job's id, the same with its slashes kept, the output's id."""


class Entry(BaseModel):
    """A table of a provider's file: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def word(value: Any) -> str:
    """A value of a job record as a word: text as it is, anything else as its JSON (`true`, `1002`, `null`)."""
    return value if isinstance(value, str) else json.dumps(value)


def filled(template: str, job_id: str, output_id: str) -> str:
    """An address with its names filled in, quoted, so that an id of any form stays within its place.

    Raises Failure(Reason.BLOCKED_ADDRESS) for an id that servers take for a step in their paths (RFC 3986, 5.2.4).
    """
    if {".", ".."} & {output_id, *job_id.split("/")}:
        raise Failure(Reason.BLOCKED_ADDRESS, {"refused": "dot_segment"})
    path = "/".join(quote(part, safe="") for part in job_id.split("/"))
    return template.format(job_id=quote(job_id, safe=""), job_path=path, output_id=quote(output_id, safe=""))


def filled_body(body: Mapping[str, Any], job_id: str, output_id: str) -> bytes:
    """A JSON body with the names in its texts filled in as they are."""
    names = {"job_id": job_id, "job_path": job_id, "output_id": output_id}
    filled_in = {key: value.format(**names) if isinstance(value, str) else value for key, value in body.items()}
    return json.dumps(filled_in).encode()


def _expression(text: str) -> str:
    jmespath.compile(text)
    return text


def _origin(text: str) -> str:
    try:
        target = parse(text)
    except Refused as refused:
        raise ValueError(f"an origin is written as https://host or https://host:port ({refused})") from None
    if target.path or target.query or "#" in text:
        raise ValueError("an origin has no path")
    return text


def _template(text: str) -> str:
    try:
        text.format(**dict.fromkeys(NAMES, ""))
    except (LookupError, ValueError, AttributeError):
        if "{base_url}" in text:
            raise ValueError("{base_url} stands here, and the file says no base_url") from None
        raise ValueError("in braces stands only " + " or ".join(f"{{{name}}}" for name in NAMES)) from None
    return text


def _address(text: str) -> str:
    try:
        parse(_template(text).format(**dict.fromkeys(NAMES, "x")))
    except Refused as refused:
        raise ValueError(f"an address is written as https://host/path ({refused})") from None
    return text


JmesPath = Annotated[str, AfterValidator(_expression)]
Words = tuple[Annotated[str, BeforeValidator(word)], ...]
Origin = Annotated[str, AfterValidator(_origin)]
Template = Annotated[str, AfterValidator(_template)]
Address = Annotated[str, AfterValidator(_address)]
