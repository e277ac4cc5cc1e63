"""What an output was made from: the prompt or its digest, the model, its parameters, and the source material."""

import json
import math
from collections.abc import Iterator
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator

from shared.messages.fields import Model, Name, Sha256, Text, no_control, readable, within

MAX_PROMPT_BYTES = 32 * 1024
"""Longest prompt, in bytes of UTF-8."""
MAX_PARAMETERS_BYTES = 16 * 1024
"""Largest `parameters`, in bytes of JSON."""
MAX_PARAMETERS_DEPTH = 6
"""Most levels of objects and lists in `parameters`, itself included."""
MAX_PARAMETERS_VALUES = 512
"""Most values in `parameters`, on all levels together."""
MAX_SOURCES = 64


def _prompt(text: str) -> str:
    return within(readable(text), MAX_PROMPT_BYTES)


def _parameters(value: dict[str, Any]) -> dict[str, Any]:
    for number, (item, depth) in enumerate(_walk(value, 1)):
        if number > MAX_PARAMETERS_VALUES:
            raise ValueError(f"at most {MAX_PARAMETERS_VALUES} values are allowed")
        if isinstance(item, dict | list) and depth > MAX_PARAMETERS_DEPTH:
            raise ValueError(f"at most {MAX_PARAMETERS_DEPTH} levels are allowed")
        _check_scalar(item)
    within(json.dumps(value, ensure_ascii=False), MAX_PARAMETERS_BYTES)
    return value


def _walk(value: object, depth: int) -> Iterator[tuple[object, int]]:
    """Every value with its level; no deeper than the first level that is too deep."""
    yield value, depth
    if depth > MAX_PARAMETERS_DEPTH or not isinstance(value, dict | list):
        return
    if isinstance(value, dict):
        for name in value:
            no_control(within(name, 128))
    for item in value.values() if isinstance(value, dict) else value:
        yield from _walk(item, depth + 1)


def _check_scalar(item: object) -> None:
    if isinstance(item, str):
        readable(item)
    elif isinstance(item, float) and not math.isfinite(item):
        raise ValueError("only finite numbers are allowed")
    elif isinstance(item, int) and abs(item) >= 2**63:
        raise ValueError("a number is out of range")


Prompt = Annotated[str, Field(min_length=1, max_length=MAX_PROMPT_BYTES), AfterValidator(_prompt)]
Parameters = Annotated[dict[str, Any], AfterValidator(_parameters)]


class Provenance(Model):
    """What an output was made from; a URL in a text of it is cut to its host before it is stored."""

    prompt: Prompt | None = Field(None, description="The prompt, where it may be kept; else give its digest.")
    prompt_sha256: Sha256 | None = Field(None, description="SHA-256 of the prompt's UTF-8.")
    model: Name | None = Field(None, description="Name and version of the model.")
    parameters: Parameters | None = Field(None, description="What the model was told beside the prompt.")
    source_sha256: tuple[Sha256, ...] = Field((), max_length=MAX_SOURCES, description="Digests of source material.")
    rights: Text | None = Field(None, description="The rights under which the source material was used.")

    @model_validator(mode="after")
    def _one_prompt(self) -> Self:
        if self.prompt is not None and self.prompt_sha256 is not None:
            raise ValueError("give either prompt or prompt_sha256")
        return self
