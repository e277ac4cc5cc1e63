"""Every metric of Outlast, declared once; `docs/telemetry.md` lists them for people."""

import importlib.metadata
import platform

from prometheus_client import ProcessCollector

from shared.reasons import Reason
from shared.states import Stage
from shared.telemetry.headline import Headline
from shared.telemetry.register import Register

REGISTER = Register()
OURS = tuple(reason for reason in Reason if reason.is_ours)

EVENTS = REGISTER.counter(
    "outlast_events_total",
    "Intake events, by what became of them.",
    outcome=("accepted", "duplicate", "rejected", "ignored"),
)
WEBHOOKS = REGISTER.counter(
    "outlast_webhooks_total",
    "Requests at the webhook door, by what became of them.",
    outcome=(
        "stored",
        "noted",
        "hint",
        "challenge",
        "unproven",
        "too_large",
        "unreadable",
        "unknown_address",
        "unavailable",
    ),
)
UNPROVEN_WEBHOOKS = REGISTER.counter(
    "outlast_unproven_webhooks_total",
    "Webhooks that were not believed, by what was wrong with their proof.",
    reason=(
        "no_signature",
        "bad_signature",
        "missing_header",
        "repeated_header",
        "bad_timestamp",
        "too_old",
        "too_new",
        "no_key",
        "bad_token",
    ),
)
UNKNOWN_STATUSES = REGISTER.counter(
    "outlast_unknown_statuses_total",
    "Reports with a word for how far a job is that the provider's entry does not know.",
    provider=(),
)
PROVIDER_CALLS = REGISTER.counter(
    "outlast_provider_calls_total",
    "Questions to providers about jobs: answered, no such job, too many requests, our key is not good, or failed.",
    provider=(),
    call=("poll", "refresh"),
    outcome=("answered", "gone", "limited", "refused", "failed"),
)
JOBS_WAITING = REGISTER.gauge("outlast_jobs_waiting", "Jobs that are asked for until their provider reports them.")
JOBS_OVERDUE = REGISTER.gauge(
    "outlast_jobs_overdue_seconds", "Time since the next question about a job was due that waits for it the longest."
)
CLAIMS = REGISTER.counter(
    "outlast_claims_total",
    "Claims that ended: outcome recorded, given back, lease lost, or the handler broke.",
    stage=Stage,
    outcome=("done", "released", "lost", "failed"),
)
LEASES_LOST = REGISTER.counter(
    "outlast_leases_lost_total", "Claims whose lease ended before their work did.", stage=Stage
)
SLOTS_BUSY = REGISTER.gauge("outlast_slots_busy", "Tasks that this process works on now.", stage=Stage)
LANES_CLOSED = REGISTER.gauge(
    "outlast_lanes_closed", "Lanes that this process leaves alone, or tries with one task, as their source is away."
)
HINTS = REGISTER.counter(
    "outlast_hints_total",
    "Wake-up messages to other stages, by what became of them.",
    outcome=("confirmed", "unroutable", "dropped", "failed"),
)
DOWNLOADED_BYTES = REGISTER.counter("outlast_downloaded_bytes_total", "Bytes received from sources and staged.")
TRANSFER_RETRIES = REGISTER.counter(
    "outlast_transfer_retries_total", "Transfers that ended with another try due.", reason=Reason
)
EXPIRED_ANSWERS = REGISTER.counter(
    "outlast_expired_answers_total", "Answers of sources that said the link had expired."
)
EXPIRED_UNASKED = REGISTER.counter(
    "outlast_expired_unasked_total", "Tries that found no link left to ask: each had expired while it waited."
)
REFRESHES = REGISTER.counter(
    "outlast_refreshes_total",
    "Requests to providers for a fresh link: got one, the job record is gone, or failed.",
    outcome=("fresh", "gone", "failed"),
)
VERIFICATION_FAILURES = REGISTER.counter(
    "outlast_verification_failures_total", "Staged outputs that were not the real thing.", reason=Reason
)
HOOKS = REGISTER.counter(
    "outlast_hooks_total",
    "Proven outputs that a hook was asked about: let through, held, refused, or the hook failed.",
    hook=("scan", "review"),
    outcome=("passed", "held", "refused", "failed"),
)
STORED_BYTES = REGISTER.counter("outlast_stored_bytes_total", "Bytes of outputs confirmed at their durable key.")
READY_TO_STORED = REGISTER.histogram(
    "outlast_ready_to_stored_seconds",
    "Time from the output being ready at the provider to its durable object being confirmed.",
    (1, 2, 5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 57600, 86400),
)
ANNOUNCEMENTS = REGISTER.counter(
    "outlast_announcements_total",
    "Announcements of finished outputs, by what became of them.",
    outcome=("confirmed", "unroutable", "failed"),
)
OWN_FAULTS = REGISTER.counter(
    "outlast_own_faults_total", "Faults of our own parts, during which a stage claims nothing.", reason=OURS
)
BUILD = {"version": importlib.metadata.version("outlast"), "python": platform.python_version()}
REGISTER.gauge(
    "outlast_build_info",
    "1, with the version of Outlast and of Python.",
    **{k: (v,) for k, v in BUILD.items()},
).set(1, **BUILD)

HEADLINE = Headline(REGISTER)

ProcessCollector(registry=REGISTER.registry)
