"""What producers say of an object that they put into the input bucket."""

from typing import Self
from uuid import UUID

from pydantic import Field, model_validator

from shared.messages.fields import Instant, Name
from shared.messages.outputs import Described
from shared.messages.references import InputObject


class ObjectCreated(Described):
    """The data of `outlast.object.created`: the envelope of one object, whose key is `{input prefix}{account}/...`."""

    object: InputObject
    task_id: UUID | None = Field(None, description="The task id you computed; another than ours is refused.")
    output_id: Name | None = Field(None, description="Your name of the output; default: the object's version or ETag.")
    created_at: Instant | None = Field(None, description="When it was written; default: the event's time.")

    @model_validator(mode="after")
    def _one_promise(self) -> Self:
        for name in ("size", "sha256"):
            told, promised = getattr(self.object, name), getattr(self.expected, name)
            if told is not None and promised is not None and told != promised:
                raise ValueError(f"object.{name} and expected.{name} differ")
        return self
