"""The files of providers: read, put together from what they extend, and checked with errors that say what to mend."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError

from shared.errors import UsageError
from shared.providers.entry import Provider
from shared.providers.model import Overrides

INHERITING = ("poll", "refresh", "webhook")
"""Tables that take what `[record]` says, unless they say otherwise."""
BASE_URL = "{base_url}"

_HEADER = re.compile(r"\s*\[+\s*([^\[\]]+?)\s*\]+\s*(?:#.*)?$")
_NAME = r"(?:[\w-]+|\"[^\"]*\"|'[^']*')"
_KEY = re.compile(rf"\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=")
Table = Mapping[str, Any]


@dataclass(frozen=True)
class File:
    """A provider's file: its name for people, its text, and what stands in it."""

    name: str
    text: str = field(repr=False)
    table: Table = field(repr=False)

    @classmethod
    def read(cls, name: str, text: str) -> "File":
        """Raises UsageError, with the line, for what is not TOML."""
        try:
            return cls(name, text, tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"The provider file {name} is not TOML: {error}") from None

    def line_of(self, *place: str) -> int | None:
        """The line on which a key stands, counted from 1; None if it cannot be found."""
        table: tuple[str, ...] = ()
        for number, line in enumerate(self.text.splitlines(), 1):
            if header := _HEADER.match(line):
                table = _parts(header[1])
                if table == place:
                    return number
            elif (key := _KEY.match(line)) and (*table, *_parts(key[1]))[: len(place)] == place:
                return number
        return None


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_NAME, dotted))


def entry_of(file: File, bases: Mapping[str, Table]) -> tuple[Provider, Overrides]:
    """The entry of a file and what it says of single models; `bases` are the tables that it may extend.

    Raises UsageError that names file, line and remedy.
    """
    whole = whole_table(file, bases)
    models = whole.pop("models", {})
    if not isinstance(models, dict) or not all(isinstance(table, dict) for table in models.values()):
        raise UsageError(f'The provider file {file.name} is wrong: overrides stand in tables like [models."name-*"].')
    entry = _checked(file, whole)
    overrides = [(pattern, _checked(file, _merged(whole, table), pattern)) for pattern, table in models.items()]
    return entry, tuple(overrides)


def whole_table(file: File, bases: Mapping[str, Table]) -> dict[str, Any]:
    """What a file says together with what it extends, which may itself extend another."""
    table = dict(file.table)
    while (extended := table.pop("extends", None)) is not None:
        if not isinstance(extended, str) or extended not in bases:
            known = ", ".join(sorted(bases))
            raise UsageError(
                f"The provider file {file.name}{_at(file, ('extends',))} extends an unknown entry; there are: {known}."
            )
        table = _merged(bases[extended], table)
    return table


def _checked(file: File, table: Table, model: str | None = None) -> Provider:
    try:
        return Provider.model_validate(_expanded(table))
    except ValidationError as error:
        raise UsageError(
            "\n  ".join([f"The provider file {file.name} is wrong:", *_faults(file, error, model)])
        ) from None


def _expanded(table: Table) -> Table:
    """The table with `[record]` handed to those that inherit it, and the base URL filled in."""
    whole = dict(table)
    record, base_url = whole.get("record", {}), whole.pop("base_url", None)
    if isinstance(record, dict):
        whole.pop("record", None)
        for name in INHERITING:
            if isinstance(whole.get(name), dict):
                whole[name] = {**record, **whole[name]}
    return whole if base_url is None else _based(whole, str(base_url).rstrip("/"))


def _based(value: Any, base_url: str) -> Any:
    if isinstance(value, str):
        return value.replace(BASE_URL, base_url)
    if isinstance(value, dict):
        return {name: _based(item, base_url) for name, item in value.items()}
    return [_based(item, base_url) for item in value] if isinstance(value, list) else value


def _merged(base: Table, over: Table) -> dict[str, Any]:
    merged = dict(base)
    for name, value in over.items():
        below = merged.get(name)
        merged[name] = _merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged


def _faults(file: File, error: ValidationError, model: str | None) -> Iterator[str]:
    for fault in error.errors(include_url=False, include_input=False):
        place = tuple(str(part) for part in fault["loc"])
        where = ".".join(place) or "the entry"
        yield f"{file.name}{_at(file, place, model)}: {where}: {_remedy(fault['type'], fault['msg'], place)}"


def _remedy(kind: str, message: str, place: tuple[str, ...]) -> str:
    if kind == "extra_forbidden":
        near = get_close_matches(place[-1], _keys_at(place[:-1]), n=1)
        return f"there is no such key; did you mean `{near[0]}`?" if near else "there is no such key; take it out"
    if kind == "missing":
        return f"it is missing; add `{place[-1]} = ...`"
    return message.removeprefix("Value error, ")


def _keys_at(place: tuple[str, ...]) -> list[str]:
    model: type[BaseModel] | None = Provider
    for name in place:
        found = model.model_fields.get(name) if model else None
        kinds = [found.annotation, *getattr(found.annotation, "__args__", ())] if found else []
        model = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)
    return list(model.model_fields) if model else []


def _at(file: File, place: tuple[str, ...], model: str | None = None) -> str:
    """The line of a key, also where it came from `[record]` or a table of a model."""
    ways = [("models", model, *place)] if model else []
    ways += [place, ("record", *place[1:])] if len(place) > 1 and place[0] in INHERITING else [place]
    for way in [*ways, place[:1]]:
        while way:
            if line := file.line_of(*way):
                return f", line {line}"
            way = way[:-1] if way[-1].isdigit() or len(way) > 2 else ()
    return ""
