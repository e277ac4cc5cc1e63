"""How a provider's job record is read, wherever it comes from: an answer to a question, or a webhook's body."""

from pydantic import Field

from shared.providers.fields import Entry, JmesPath, Words


class Reading(Entry):
    """Expressions (JMESPath) into a job record, and the words in it.

    What stands in the table `[record]` of a file holds for `[poll]`, `[refresh]` and `[webhook]` alike, unless they say
    otherwise.
    """

    job_id: JmesPath | None = Field(None, description="The job's id; a number counts as its text.")
    model: JmesPath | None = Field(None, description="The model, which may have overrides.")
    status: JmesPath = Field("status", description="The word for how far the job is.")
    error: JmesPath | None = Field(
        None, description="Code of an error inside a 200; null, false, 0 and empty are none."
    )
    running: Words = Field(("queued", "running", "processing", "pending"), description="The job is at work.")
    done: Words = Field(("succeeded",), description="The job is finished, and its outputs are in the record.")
    failed: Words = Field(("failed",), description="The job will give nothing; of the status or the error, as below.")
    filtered: Words = Field((), description="The provider's content filter withheld the output.")
    gone: Words = Field((), description="The provider no longer knows the job.")
    limited: Words = Field((), description="Too many requests.")
    refused: Words = Field((), description="Our key is not accepted.")
    failed_if: JmesPath | None = Field(None, description="True of a record of a failed job, whatever its status.")
    filtered_if: JmesPath | None = Field(None, description="True of a record of a filtered job, whatever its status.")
    code: JmesPath | None = Field(None, description="The provider's code of a failure.")
    message: JmesPath | None = Field(None, description="The provider's words about a failure.")
    completed_at: JmesPath | None = Field(None, description="When the job ended.")
    outputs: JmesPath = Field("outputs", description="The list of outputs, or the only one.")
    any_shape: bool = Field(False, description="Take every link in `outputs`, however deep it lies there.")
    output_id: JmesPath | None = Field(None, description="Inside one output; absent: its index from 0.")
    output_url: JmesPath = Field("url", description="Inside one output: its link; `@` where it is the link itself.")
    has_links: bool = Field(True, description="False where a content endpoint gives the bytes of every output.")
    output_kind: JmesPath | None = Field(None, description="Inside one output: its kind or media type.")
    output_error: JmesPath | None = Field(None, description="Inside an output that failed while others did not.")
    output_message: JmesPath | None = Field(None, description="Words beside it.")
    output_expires_at: JmesPath | None = Field(None, description="Inside one output: when its link ends.")
    expires_at: JmesPath | None = Field(None, description="When all outputs end.")
