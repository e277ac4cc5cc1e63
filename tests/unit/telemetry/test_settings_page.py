"""docs/settings.md lists every setting as the code has it."""

import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import annotated_types
from pydantic.fields import FieldInfo

from shared.settings import Settings

PAGE = Path(__file__).parents[3] / "docs" / "settings.md"
KINDS = {
    "str": "text",
    "int": "whole number",
    "float": "number",
    "bool": "true or false",
    "Path": "path",
    "SecretStr": "text (masked)",
    "HttpUrl": "URL",
    "tuple": "list, by commas",
}


def row(name: str, field: FieldInfo) -> str:
    values = ", ".join([kind(field.annotation), *limits(field.metadata)])
    return f"| `OUTLAST_{name.upper()}` | {values} | {default(field)} | {field.description} |"


def kind(annotation: Any) -> str:
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{word}`" for word in get_args(annotation))
    if isinstance(annotation, types.UnionType):
        [annotation] = [part for part in get_args(annotation) if part is not type(None)]
    return KINDS[(get_origin(annotation) or annotation).__name__]


def limits(metadata: list[Any]) -> Iterator[str]:
    for limit in metadata:
        match limit:
            case annotated_types.Ge(ge=least):
                yield f"at least {least}"
            case annotated_types.Gt(gt=least):
                yield f"over {least}"
            case annotated_types.Le(le=most):
                yield f"at most {most}"


def default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if field.default in (None, "", ()):
        return "-"
    if isinstance(field.default, tuple):
        return f"`{', '.join(field.default)}`"
    return f"`{str(field.default).lower() if field.annotation is bool else field.default}`"


def test_the_table_of_settings_is_the_code() -> None:
    expected = [row(name, field) for name, field in Settings.model_fields.items()]
    found = [line for line in PAGE.read_text().splitlines() if line.startswith("| `OUTLAST_")]
    assert found == expected, "docs/settings.md needs these rows:\n" + "\n".join(expected)


def test_every_setting_has_a_sentence() -> None:
    for name, field in Settings.model_fields.items():
        assert (field.description or "").endswith("."), name
