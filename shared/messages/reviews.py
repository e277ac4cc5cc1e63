"""What a person or a rule decided about an asset."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from shared.messages.fields import Instant, Name, Text
from shared.messages.outputs import Speaking


class AssetReviewed(Speaking):
    """The data of `outlast.asset.reviewed`: the verdict on one asset; of several the newest holds."""

    task_id: UUID = Field(description="The asset's task.")
    verdict: Literal["approved", "rejected"]
    reviewed_by: Name = Field(description="Who decided: a person, or a rule with its version.")
    note: Text | None = None
    reviewed_at: Instant | None = Field(None, description="When it was decided; default: the event's time.")
