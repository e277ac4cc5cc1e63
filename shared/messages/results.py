"""What Outlast announces: the data of its own events. Readers must ignore fields that they do not know."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from shared.messages.references import ObjectRef


class Told(BaseModel):
    """What every announcement's data has in common."""

    model_config = ConfigDict(frozen=True)


class Review(Told):
    """The newest verdict on an asset."""

    verdict: Literal["approved", "rejected"]
    reviewed_by: str
    reviewed_at: datetime


class Flags(Told):
    """What a processor must know before it opens an asset; null is unknown."""

    active_content: bool | None = Field(None, description="Whether it may run code; false: looked for, none found.")
    review: Review | None = Field(None, description="The newest verdict; null: nobody has reviewed it.")
    contains: tuple[str, ...] = Field(
        (), description="What the verifier's hooks found in it: `secrets`, `personal_data`, `needs_redaction`, ..."
    )


class _OfTask(Told):
    task_id: UUID
    account: str
    provider: str = Field(description="The service that generated it; `object` for one from the input bucket.")
    provider_account: str
    job_id: str
    output_id: str
    operation_id: str
    attempt_id: str
    variant: str | None
    retention_class: str
    processor_version: str
    derived_from: tuple[UUID, ...] = Field(description="Task ids of the assets that this was made from.")
    display_name: str | None
    kind: str | None


class AssetComplete(_OfTask):
    """The data of `outlast.asset.complete`: an asset is durable and proven."""

    object: ObjectRef
    uri: str = Field(description="`s3://bucket/key` of the same object.")
    media: dict[str, Any] = Field(description="What the file proved to be: content type, duration, dimensions, ...")
    flags: Flags
    provenance: dict[str, Any] = Field(description="As the producer told it, without URLs.")
    ready_at: datetime
    completed_at: datetime


class NeedsAttention(_OfTask):
    """The data of `outlast.task.needs_attention`: nothing automatic will help this task."""

    reason: str
    sentence: str = Field(description="The reason in words that a person can act on.")


class EventRejected(Told):
    """The data of `outlast.event.rejected`: a message of the intake was no event; its content is not kept."""

    account: str = Field(description="Of the routing key; `unknown` where that names none.")
    body_sha256: str
    body_bytes: int
    reason: str
    detail: str = Field(description="What its producer should mend.")
    times: int = Field(description="How often this very body came.")


ANNOUNCEMENTS: dict[str, type[Told]] = {
    "outlast.asset.complete": AssetComplete,
    "outlast.task.needs_attention": NeedsAttention,
    "outlast.event.rejected": EventRejected,
}
"""Every type that Outlast announces."""
