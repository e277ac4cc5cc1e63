"""Every key of a provider's file, from the models that read it, in Markdown."""

from collections.abc import Iterator
from datetime import date
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from outlast.catalogue.page import table
from shared.providers.entry import Caps, Content, Credential, Fact, Lives, Poll, Provider, Refresh
from shared.providers.fields import Address, JmesPath, Origin, Words
from shared.providers.reading import Reading
from shared.providers.webhook import Header, Webhook

TABLES: dict[str, type[BaseModel]] = {
    "[life]": Lives,
    "[caps]": Caps,
    "[credential]": Credential,
    "[record]": Reading,
    "[poll]": Poll,
    "[refresh]": Refresh,
    "[content]": Content,
    "[webhook]": Webhook,
    "[[facts]]": Fact,
}
ALSO = {
    "[poll]": "Also every key of `[record]`, which holds where the key is not given here.",
    "[refresh]": "Also every key of `[record]`, which holds where the key is not given here.",
    "[webhook]": "Also every key of `[record]`, which holds where the key is not given here.",
}
TOP = (
    ("extends", "name", "-", "Another entry of Outlast: what this file does not say, that one does, key by key."),
    ("base_url", "text", "-", "Stands for `{base_url}` wherever that is written, also in what is extended."),
    ("record", "table", "-", "How a job record is read; `[poll]`, `[refresh]` and `[webhook]` take it over."),
    ("models", "tables", "-", 'One table for each pattern of models, such as `[models."veo-*"]`, with what differs.'),
)
"""The keys that are used up before an entry is checked."""
KINDS: dict[Any, str] = {
    JmesPath: "JMESPath",
    Words: "list of words",
    Address: "address",
    Origin: "origin",
    Header: "header",
    str: "text",
    bool: "true or false",
    int: "whole number",
    float: "number",
    date: "date",
}
HEAD = ("key", "value", "default", "meaning")


def reference() -> str:
    """A table for each table of a file."""
    blocks = ["### At the top", table(HEAD, [*_rows(Provider, {}), *((f"`{key}`", *rest) for key, *rest in TOP)])]
    for name, model in TABLES.items():
        inherited = Reading.model_fields if issubclass(model, Reading) and model is not Reading else {}
        also = [ALSO[name]] if name in ALSO else []
        blocks += [f"### `{name}`", *also, table(HEAD, _rows(model, inherited))]
    return "\n\n".join(blocks)


def _rows(model: type[BaseModel], left_out: dict[str, FieldInfo]) -> Iterator[tuple[str, str, str, str]]:
    hints = get_type_hints(model, include_extras=True)
    for name, field in model.model_fields.items():
        if name not in left_out:
            yield f"`{name}`", _kind(hints[name]), _default(field), field.description or _of_table(name)


def _kind(hint: Any) -> str:
    if (told := next((KINDS[kind] for kind in KINDS if kind == hint), None)) is not None:
        return told
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return next(_kind(argument) for argument in arguments if argument is not NoneType)
    if origin is Literal:
        return ", ".join(f"`{word}`" for word in arguments)
    if origin is Annotated:
        return _kind(arguments[0])
    if origin is tuple:
        return f"list of {_kind(arguments[0])}s"
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return "table"
    return f"table of {_kind(arguments[1])}s"


def _default(field: FieldInfo) -> str:
    default = field.default
    if default is PydanticUndefined:
        return "required"
    if isinstance(default, tuple) and default:
        return ", ".join(f"`{word}`" for word in default)
    if default is None or isinstance(default, BaseModel) or default in ("", (), {}):
        return "-"
    told = (
        str(default).lower() if isinstance(default, bool) else f"{default:g}" if isinstance(default, float) else default
    )
    return f"`{told}`"


def _of_table(name: str) -> str:
    """What a key means whose value is a table: the sentence of that."""
    return "See below." if name in {key.strip("[]") for key in TABLES} else ""
