"""The events of the intake: CloudEvents 1.0 envelopes around their data."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from shared.messages.fields import Instant, Name
from shared.messages.objects import ObjectCreated
from shared.messages.outputs import GenerationStarted, OutputFailed, OutputReady
from shared.messages.reviews import AssetReviewed

SCHEMA_VERSION = 1
"""The one version of the events' data that this release reads and writes."""


class Envelope(BaseModel):
    """The attributes of CloudEvents 1.0 that are read; further ones are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    specversion: Literal["1.0"] = "1.0"
    id: Name = Field(description="Your id of the event: the same id from the same source is the same event.")
    source: Name = Field(description="Who says so.")
    time: Instant | None = None
    datacontenttype: Literal["application/json"] = "application/json"
    traceparent: str | None = Field(None, max_length=128, description="W3C trace context to go on with.")


class GenerationStartedEvent(Envelope):
    """A job was started."""

    type: Literal["outlast.generation.started"] = "outlast.generation.started"
    data: GenerationStarted


class OutputReadyEvent(Envelope):
    """An output can be fetched."""

    type: Literal["outlast.output.ready"] = "outlast.output.ready"
    data: OutputReady


class OutputFailedEvent(Envelope):
    """A job or an output of it failed."""

    type: Literal["outlast.output.failed"] = "outlast.output.failed"
    data: OutputFailed


class ObjectCreatedEvent(Envelope):
    """An object waits in the input bucket."""

    type: Literal["outlast.object.created"] = "outlast.object.created"
    data: ObjectCreated


class AssetReviewedEvent(Envelope):
    """An asset was approved or rejected."""

    type: Literal["outlast.asset.reviewed"] = "outlast.asset.reviewed"
    data: AssetReviewed


IntakeEvent = GenerationStartedEvent | OutputReadyEvent | OutputFailedEvent | ObjectCreatedEvent | AssetReviewedEvent

EVENTS: Mapping[str, type[IntakeEvent]] = MappingProxyType(
    {event.model_fields["type"].default: event for event in get_args(IntakeEvent)}
)
"""Every type that the intake reads; also the second part of its routing key."""
