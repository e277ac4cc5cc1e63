"""A JSON Schema (draft 7) for each message that crosses an edge of Outlast."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from shared.messages import ANNOUNCEMENTS, EVENTS, SCHEMA_VERSION, Hint, dataschema

DRAFT = "http://json-schema.org/draft-07/schema#"
HINT = "outlast.hint"
DATASCHEMA = (
    "Where it is `urn:outlast:{name}:N`, the version N must be one that this release reads; others are ignored."
)

_ATTRIBUTES = ("specversion", "id", "source", "type", "data")
"""What a CloudEvent must have; the intake itself is more lenient."""


class _Announced(BaseModel):
    model_config = ConfigDict(extra="allow")

    specversion: Literal["1.0"]
    id: str = Field(description="The task's id; of a rejection the digest of the body. A repeat has the same id.")
    source: Literal["outlast"]
    subject: str = Field(description="The account.")
    time: str = Field(description="When this message was made; RFC 3339.", json_schema_extra={"format": "date-time"})
    datacontenttype: Literal["application/json"]
    dataschema: str = Field(description="Name and version of the schema of `data`.")


def schemas() -> Mapping[str, dict[str, Any]]:
    """Every schema by the name of its message."""
    events = {name: _intake(name, model) for name, model in EVENTS.items()}
    told = {name: _announcement(name, model) for name, model in ANNOUNCEMENTS.items()}
    return {**events, **told, HINT: _schema(HINT, Hint)}


def _intake(name: str, model: type[BaseModel]) -> dict[str, Any]:
    schema = _schema(name, model)
    schema["properties"]["dataschema"] = {"type": "string", "description": DATASCHEMA.format(name=name)}
    schema["properties"]["schemaversion"] = {"enum": [SCHEMA_VERSION, str(SCHEMA_VERSION)]}
    return {**schema, "required": list(_ATTRIBUTES)}


def _announcement(name: str, data: type[BaseModel]) -> dict[str, Any]:
    fields: dict[str, Any] = {"type": (Literal[name], ...), "data": (data, ...)}
    return _schema(name, create_model(f"{data.__name__}Event", __base__=_Announced, __doc__=data.__doc__, **fields))


def _schema(name: str, model: type[BaseModel]) -> dict[str, Any]:
    schema: dict[str, Any] = _untitled(model.model_json_schema(ref_template="#/definitions/{model}"))
    if definitions := schema.pop("$defs", None):
        schema["definitions"] = definitions
    return {"$schema": DRAFT, "$id": dataschema(name), **schema}


def _untitled(value: Any) -> Any:
    """Without the titles, which only repeat the names."""
    if isinstance(value, list):
        return [_untitled(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: _untitled(item) for name, item in value.items() if not (name == "title" and isinstance(item, str))}
