"""The one vocabulary of reasons: each with who caused it, what happens next, and a sentence for a person."""

from dataclasses import dataclass
from enum import StrEnum


class Next(StrEnum):
    """What the system does by itself after a reason."""

    RETRY = "retry"
    """Again with back-off, inside the life of the link."""
    REFRESH = "refresh"
    """Ask the provider once for a fresh link, where there is a way; else stop."""
    RETRY_THEN_REFRESH = "retry_then_refresh"
    """A few tries, one refresh, then stop."""
    TRANSFER_AGAIN = "transfer_again"
    """One more transfer, as the bytes may differ; the same digest again stops."""
    PLACE_AGAIN = "place_again"
    """Place once more, three times in all."""
    STOP = "stop"
    """needs_attention: nothing automatic will help."""
    ABANDON = "abandon"
    """Closed by the provider's word."""
    PAUSE = "pause"
    """Our own fault: the stage stops claiming until a probe succeeds; no try is charged."""


@dataclass(frozen=True)
class Rule:
    """What a reason means: its next step and a sentence a person can act on."""

    next: Next
    sentence: str


class Reason(StrEnum):
    """Why something did not go on: the column, the log field and the metric label are this word."""

    SOURCE_UNAVAILABLE = "source_unavailable"
    RATE_LIMITED = "rate_limited"
    STALLED = "stalled"
    TRUNCATED = "truncated"
    EARLY_NOT_FOUND = "early_not_found"
    URL_REFUSED = "url_refused"
    URL_EXPIRED = "url_expired"
    SOURCE_GONE = "source_gone"
    JOB_RECORD_GONE = "job_record_gone"
    DEADLINE_MISSED = "deadline_missed"
    LENGTH_UNPROVEN = "length_unproven"
    PROVIDER_SILENT = "provider_silent"
    NO_OUTPUT = "no_output"
    NO_ENVELOPE = "no_envelope"
    ERROR_BODY = "error_body"
    EMPTY_BODY = "empty_body"
    BLOCKED_ADDRESS = "blocked_address"
    HOST_NOT_LISTED = "host_not_listed"
    REDIRECT_REFUSED = "redirect_refused"
    TLS_INVALID = "tls_invalid"
    PROTOCOL_VIOLATION = "protocol_violation"
    TOO_LARGE = "too_large"
    CREDENTIAL_REFUSED = "credential_refused"
    CREDENTIAL_MISSING = "credential_missing"
    SIZE_MISMATCH = "size_mismatch"
    DECLARED_MISMATCH = "declared_mismatch"
    NOT_MEDIA = "not_media"
    WRONG_KIND = "wrong_kind"
    UNDECODABLE = "undecodable"
    ENCRYPTED = "encrypted"
    UNSAFE_MEDIA = "unsafe_media"
    ACTIVE_CONTENT = "active_content"
    PROBE_TIMEOUT = "probe_timeout"
    EXPECTATION_MISMATCH = "expectation_mismatch"
    INFECTED = "infected"
    STAGING_CORRUPT = "staging_corrupt"
    STAGING_LOST = "staging_lost"
    COPY_MISMATCH = "copy_mismatch"
    KEY_CONFLICT = "key_conflict"
    POISONED = "poisoned"
    PROVIDER_FAILED = "provider_failed"
    PROVIDER_FILTERED = "provider_filtered"
    HELD_FOR_REVIEW = "held_for_review"
    REVIEW_REJECTED = "review_rejected"
    STORAGE_UNAVAILABLE = "storage_unavailable"
    STORAGE_DENIED = "storage_denied"
    STORAGE_FULL = "storage_full"
    DATABASE = "database"
    BROKER = "broker"
    SCANNER = "scanner"
    REVIEWER = "reviewer"
    PROBE = "probe"
    KEYRING = "keyring"

    @property
    def rule(self) -> Rule:
        """The rule of this reason."""
        return RULES[self]

    @property
    def ending(self) -> str:
        """What a person reads of a task that stopped for this reason; of one that is retried, also why no more."""
        after = f" {AFTER_TRIES}" if self.rule.next is Next.RETRY else ""
        return f"{self.rule.sentence}{after}"

    @property
    def is_ours(self) -> bool:
        """Whether the fault lies with our own parts, so that no try is charged."""
        return self.rule.next is Next.PAUSE


AFTER_TRIES = "It was tried until its time, or the number of tries, was over. Send a fresh link, or generate it again."
"""Behind the sentence of a reason that is retried, once no try is left."""

R = Reason
RULES: dict[Reason, Rule] = {
    R.SOURCE_UNAVAILABLE: Rule(Next.RETRY, "The source did not answer, or answered that it is unavailable."),
    R.RATE_LIMITED: Rule(Next.RETRY, "The source asked for fewer requests."),
    R.STALLED: Rule(Next.RETRY, "The transfer became too slow or took too long."),
    R.TRUNCATED: Rule(Next.RETRY, "The source sent fewer bytes than it announced."),
    R.EARLY_NOT_FOUND: Rule(Next.RETRY, "The source did not have the output yet, seconds after it was ready."),
    R.URL_REFUSED: Rule(
        Next.REFRESH,
        "The source refused the link before its expiry: a wrong signature, or ended credentials.",
    ),
    R.URL_EXPIRED: Rule(
        Next.REFRESH,
        "The link had expired and no fresh one could be had. Send a fresh link if the provider can make one.",
    ),
    R.SOURCE_GONE: Rule(
        Next.REFRESH, "The source deleted the output (404 or 410) before it was captured. Generate it again."
    ),
    R.JOB_RECORD_GONE: Rule(Next.STOP, "The provider no longer knows this job or its output. Generate it again."),
    R.DEADLINE_MISSED: Rule(
        Next.STOP, "No try succeeded before the last known way to the bytes ended. Generate it again."
    ),
    R.LENGTH_UNPROVEN: Rule(Next.STOP, "The source never said how long the body is, and nothing else proves it."),
    R.PROVIDER_SILENT: Rule(Next.STOP, "The provider reported no result in the allowed time. Look the job up there."),
    R.NO_OUTPUT: Rule(
        Next.STOP, "The output is said to be ready, but neither the event nor the provider names a link to it."
    ),
    R.NO_ENVELOPE: Rule(
        Next.STOP, "An object came into the input bucket, and nobody said what it is. Send its outlast.object.created."
    ),
    R.ERROR_BODY: Rule(Next.RETRY_THEN_REFRESH, "The source answered 200 with an error page in place of the output."),
    R.EMPTY_BODY: Rule(Next.RETRY_THEN_REFRESH, "The source answered 200 with no bytes."),
    R.BLOCKED_ADDRESS: Rule(
        Next.STOP,
        "The link's form or address is one that Outlast never follows; the evidence says which rule. "
        "If it is not a slip, check who sent it: it may be an attack.",
    ),
    R.HOST_NOT_LISTED: Rule(Next.STOP, "The link's host is not one of this provider's. Check who sent it."),
    R.REDIRECT_REFUSED: Rule(Next.STOP, "The source redirects in a loop, too often, or to a place not allowed."),
    R.TLS_INVALID: Rule(Next.STOP, "The source's TLS certificate is not valid for its name."),
    R.PROTOCOL_VIOLATION: Rule(
        Next.STOP, "The source's answer breaks HTTP, or is none to what was asked, so its bytes cannot be trusted."
    ),
    R.TOO_LARGE: Rule(
        Next.STOP,
        "The output is over the configured limit: raise that, then retry. "
        "With `limit: ratio` in the evidence it unpacks as a bomb does: look at its source.",
    ),
    R.CREDENTIAL_REFUSED: Rule(
        Next.STOP, "The provider refused our credential. Check the key of this provider account, then retry."
    ),
    R.CREDENTIAL_MISSING: Rule(
        Next.RETRY,
        "There is no readable key for this provider account. Put its key file in place; work goes on by itself.",
    ),
    R.SIZE_MISMATCH: Rule(Next.TRANSFER_AGAIN, "The size differs from the size that the event declared."),
    R.DECLARED_MISMATCH: Rule(Next.TRANSFER_AGAIN, "The SHA-256 differs from the one that the event declared."),
    R.NOT_MEDIA: Rule(Next.TRANSFER_AGAIN, "The bytes are no media file of any kind that Outlast accepts."),
    R.WRONG_KIND: Rule(Next.TRANSFER_AGAIN, "The bytes are good media, but of another kind than was promised."),
    R.UNDECODABLE: Rule(Next.TRANSFER_AGAIN, "The file looks right from outside, but its content does not decode."),
    R.ENCRYPTED: Rule(Next.TRANSFER_AGAIN, "The content is encrypted and cannot be proven."),
    R.UNSAFE_MEDIA: Rule(Next.TRANSFER_AGAIN, "The file exceeds a safety limit (pixels, frames, pages, nesting)."),
    R.ACTIVE_CONTENT: Rule(Next.TRANSFER_AGAIN, "The file carries scripts or other active content."),
    R.PROBE_TIMEOUT: Rule(Next.TRANSFER_AGAIN, "Examining the file took more time or memory than is allowed."),
    R.EXPECTATION_MISMATCH: Rule(Next.TRANSFER_AGAIN, "The media differs from what the event promised."),
    R.INFECTED: Rule(Next.TRANSFER_AGAIN, "The malware scanner refused the file."),
    R.STAGING_CORRUPT: Rule(Next.TRANSFER_AGAIN, "The staged bytes no longer have the digest they arrived with."),
    R.STAGING_LOST: Rule(Next.TRANSFER_AGAIN, "The staged object is gone. Check what deletes from that bucket."),
    R.COPY_MISMATCH: Rule(Next.PLACE_AGAIN, "The placed object reads back with another digest."),
    R.KEY_CONFLICT: Rule(Next.STOP, "Another asset with other bytes already owns this durable key."),
    R.POISONED: Rule(Next.STOP, "This task ended its worker three times. Its file may be an attack on a parser."),
    R.PROVIDER_FAILED: Rule(Next.ABANDON, "The provider says that the generation failed."),
    R.PROVIDER_FILTERED: Rule(Next.ABANDON, "The provider's content filter withheld the output."),
    R.HELD_FOR_REVIEW: Rule(
        Next.STOP,
        "A person must look at this output; the evidence says why. Release or reject it with outlast release.",
    ),
    R.REVIEW_REJECTED: Rule(Next.STOP, "The review rejected this output; it goes no further."),
    R.STORAGE_UNAVAILABLE: Rule(Next.PAUSE, "The object store does not answer. Work goes on when it does."),
    R.STORAGE_DENIED: Rule(Next.PAUSE, "The object store refuses our key. Check the key and its policy."),
    R.STORAGE_FULL: Rule(Next.PAUSE, "The object store has no room left. Add room; work goes on by itself."),
    R.DATABASE: Rule(Next.PAUSE, "The database does not answer. Work goes on when it does."),
    R.BROKER: Rule(Next.PAUSE, "RabbitMQ does not answer. Accepted work goes on without it."),
    R.PROBE: Rule(
        Next.PAUSE,
        "The program that examines files does not answer, or its folder is full or gone. Work goes on by itself.",
    ),
    R.KEYRING: Rule(
        Next.PAUSE, "No key on the ring opens this task's sealed link. Put the old key back; work goes on by itself."
    ),
    R.SCANNER: Rule(Next.PAUSE, "The malware scanner does not answer. Work goes on when it does."),
    R.REVIEWER: Rule(
        Next.PAUSE, "The review hook does not answer, or not as it should. Mend it; work goes on by itself."
    ),
}
