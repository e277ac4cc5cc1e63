"""What producers say of a generation and its outputs."""

from enum import StrEnum
from uuid import UUID

from pydantic import Field

from shared.messages.expected import Expected
from shared.messages.fields import Account, Instant, Kind, Link, Model, Name, RetentionClass, Text
from shared.messages.provenance import Provenance

MAX_DERIVED_FROM = 64


class Speaking(Model):
    """What every event's data may say of its sender."""

    account: Account | None = Field(None, description="May repeat the routing key's account; another is refused.")


class Described(Speaking):
    """What a producer may say of an output before, with or without its bytes."""

    kind: Kind | None = Field(None, description="The promised kind; absent: whatever the bytes prove to be.")
    operation_id: Name | None = Field(None, description="Your stable name of the operation; default: the job's id.")
    attempt_id: Name = Field("1", description="Your generation attempt.")
    variant: Name | None = None
    retention_class: RetentionClass = "original"
    display_name: Name | None = Field(None, description="A file name for people.")
    processor_version: Name = Field("none", description="Stable name and version of what made this from a source.")
    derived_from: tuple[UUID, ...] = Field(
        (), max_length=MAX_DERIVED_FROM, description="Task ids of the assets that this was made from."
    )
    provenance: Provenance = Provenance()
    expected: Expected = Expected()


class _OfJob(Model):
    provider: Name
    provider_account: Name = "default"
    job_id: Name = Field(description="The provider's id of the job.")


class _Recorded(Model):
    record_url: Link | None = Field(
        None,
        description="Where the provider's own answer says that the job's record is (`polling_url`, `status_url`); "
        "counts where it lies on the provider's API, which alone is asked with the key.",
    )

    @property
    def record(self) -> str | None:
        """The address itself; keep it in memory only."""
        return self.record_url.get_secret_value() if self.record_url else None


class GenerationStarted(Described, _OfJob, _Recorded):
    """The data of `outlast.generation.started`: a provider works on a job whose outputs are wanted."""

    started_at: Instant | None = Field(None, description="When the job began; default: the event's time.")


class OutputReady(Described, _OfJob, _Recorded):
    """The data of `outlast.output.ready`: one output of a job can be fetched now."""

    output_id: Name = Field("0", description="The provider's id of the output, else its index from 0.")
    url: Link | None = Field(None, description="The link; absent where the provider gives the bytes itself.")
    url_expires_at: Instant | None = Field(None, description="When the link ends, if the provider said so.")
    ready_at: Instant | None = Field(None, description="When the provider finished; default: the event's time.")

    @property
    def link(self) -> str | None:
        """The link itself; keep it in memory only."""
        return self.url.get_secret_value() if self.url else None


class Failing(StrEnum):
    """How a provider failed."""

    FAILED = "failed"
    FILTERED = "filtered"
    """Its content filter withheld the output."""


class OutputFailed(Speaking, _OfJob):
    """The data of `outlast.output.failed`: a job, or one output of it, will give no bytes."""

    output_id: Name | None = Field(None, description="The output that failed; absent: the whole job did.")
    failure: Failing = Failing.FAILED
    code: Name | None = Field(None, description="The provider's code of the failure.")
    message: Text | None = Field(None, description="The provider's words; links and credentials in them are cut.")
    failed_at: Instant | None = Field(None, description="When it failed; default: the event's time.")
