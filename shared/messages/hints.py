"""The hint: a wake-up between stages."""

from typing import Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from shared.messages.fields import Model
from shared.messages.references import ObjectRef


class Hint(Model):
    """A wake-up between stages; our services read the row, `object` is for people and tools."""

    task_id: UUID
    object: ObjectRef | None = None
    schema_: Literal[1] = Field(1, alias="schema")

    model_config = ConfigDict(populate_by_name=True, extra="ignore", frozen=True)
