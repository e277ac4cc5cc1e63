"""The messages of Outlast: the events of the intake, the hint between stages, and the announcements."""

from shared.messages.attributes import BINARY, STRUCTURED, binary_headers
from shared.messages.clear import clear_data
from shared.messages.cloudevent import cloud_event, dataschema
from shared.messages.events import (
    EVENTS,
    SCHEMA_VERSION,
    AssetReviewedEvent,
    Envelope,
    GenerationStartedEvent,
    IntakeEvent,
    ObjectCreatedEvent,
    OutputFailedEvent,
    OutputReadyEvent,
)
from shared.messages.expected import Expected
from shared.messages.fields import ACCOUNT, MAX_NAME_BYTES, UNKNOWN_ACCOUNT, Kind
from shared.messages.hints import Hint
from shared.messages.identity import (
    OBJECT,
    PLACEHOLDER,
    TASK_NAMESPACE,
    download_key,
    job_key,
    key_of,
    object_key,
    task_id_from,
    task_id_of,
)
from shared.messages.intake import read_intake
from shared.messages.notifications import Notification, read_notification
from shared.messages.objects import ObjectCreated
from shared.messages.outputs import Described, Failing, GenerationStarted, OutputFailed, OutputReady
from shared.messages.provenance import Provenance
from shared.messages.references import InputObject, ObjectRef, plain_etag
from shared.messages.rejection import Fault, Rejected, describe
from shared.messages.results import ANNOUNCEMENTS, AssetComplete, EventRejected, Flags, NeedsAttention, Review, Told
from shared.messages.reviews import AssetReviewed
from shared.messages.strict import MAX_INTAKE_BYTES, parse_json

__all__ = [
    "ACCOUNT",
    "ANNOUNCEMENTS",
    "BINARY",
    "EVENTS",
    "MAX_INTAKE_BYTES",
    "MAX_NAME_BYTES",
    "OBJECT",
    "PLACEHOLDER",
    "SCHEMA_VERSION",
    "STRUCTURED",
    "TASK_NAMESPACE",
    "UNKNOWN_ACCOUNT",
    "AssetComplete",
    "AssetReviewed",
    "AssetReviewedEvent",
    "Described",
    "Envelope",
    "EventRejected",
    "Expected",
    "Failing",
    "Fault",
    "Flags",
    "GenerationStarted",
    "GenerationStartedEvent",
    "Hint",
    "InputObject",
    "IntakeEvent",
    "Kind",
    "NeedsAttention",
    "Notification",
    "ObjectCreated",
    "ObjectCreatedEvent",
    "ObjectRef",
    "OutputFailed",
    "OutputFailedEvent",
    "OutputReady",
    "OutputReadyEvent",
    "Provenance",
    "Rejected",
    "Review",
    "Told",
    "binary_headers",
    "clear_data",
    "cloud_event",
    "dataschema",
    "describe",
    "download_key",
    "job_key",
    "key_of",
    "object_key",
    "parse_json",
    "plain_etag",
    "read_intake",
    "read_notification",
    "task_id_from",
    "task_id_of",
]
