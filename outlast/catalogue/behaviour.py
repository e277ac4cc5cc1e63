"""What Outlast does for a provider by its entry, and what is lost with it: sentences in Markdown."""

from collections.abc import Iterator

from outlast.catalogue.describing import ENDPOINT, bytes_from, lasting, listed, readings, words
from shared.providers import Provider
from shared.providers.entry import Poll
from shared.providers.reading import Reading
from shared.providers.webhook import UNPROVEN_SCHEMES, Webhook

PROOFS = {
    "standard": "Standard Webhooks, HMAC-SHA256 over id, time and body",
    "hmac": "an HMAC-SHA256 with a shared secret",
    "ed25519": "an Ed25519 signature, by the keys that the provider publishes",
    "jwt": "a token for our address (RS256), by the keys that the provider publishes",
    "challenge": "nothing but the token in our own address; a challenge is sent back",
    "unsigned": "nothing but the token in our own address",
}
"""What proves a webhook, by its scheme."""


def does(entry: Provider) -> Iterator[str]:
    """What Outlast does for jobs and outputs of this provider."""
    yield "Fetches every output that an event says is ready."
    if entry.poll:
        yield _asks(entry.poll)
    if entry.webhook:
        yield _hears(entry.webhook)
    if entry.content:
        yield f"Takes the bytes from the provider's API with the key{_inside(entry.content.base64)}."
    if entry.refresh:
        yield "Asks the finished job for a fresh link when one has ended, was refused, or never came."
    if entry.credential and entry.credential.origins:
        origins = listed(f"`{origin}`" for origin in entry.credential.origins)
        yield f"Shows the key to links on {origins}, and to no others."
    if entry.hosts:
        yield f"Follows links to {listed(f'`{host}`' for host in entry.hosts)} alone."
    if entry.caps.transfers:
        yield f"Runs at most {entry.caps.transfers} transfers at once in each process."
    yield from _words(entry)


def losses(entry: Provider) -> Iterator[str]:
    """What can be lost, and when."""
    yield _of_link(entry)
    if entry.content or entry.refresh:
        yield _of_record(entry)
    yield _of_report(entry)
    if entry.webhook and entry.webhook.scheme in UNPROVEN_SCHEMES:
        yield "A webhook proves nothing of its body, so a forged one can bring a question forward and do no more."
    if entry.credential:
        yield "Without its key file a task waits as `credential_missing`; no try is charged, and the clock runs on."


def _asks(poll: Poll) -> str:
    where = "" if poll.url else " at its `record_url`"
    pace = "1 question" if poll.per_second == 1 else f"{poll.per_second:g} questions"
    head = " Only status and headers are read, as the answer is the output itself." if poll.answer == "head" else ""
    return (
        f"Asks for a started job{where}, {lasting(poll.first_seconds)} after its start, then every"
        f" {lasting(poll.every_seconds)}, and as it grows old up to {lasting(poll.most_seconds)} apart; at most {pace}"
        f" a second from each process.{head}"
    )


def _hears(webhook: Webhook) -> str:
    # A token binds the body only where the entry names the claim for it.
    speaks = webhook.reports and not (webhook.scheme == "jwt" and webhook.body_claim is None)
    then = "The body is the report" if speaks else "One only has its job asked for at once"
    return f"Takes webhooks, proven by {PROOFS[webhook.scheme]}. {then}."


def _inside(path: str | None) -> str:
    return f", out of the base64 at `{path}` in its answer" if path else ""


def _words(entry: Provider) -> Iterator[str]:
    told: dict[str, list[str]] = {}
    for name, reading in readings(entry).items():
        told.setdefault(_meanings(reading), []).append(f"`[{name}]`")
    for text, names in told.items():
        yield f"Reads in {listed(names)}: {text}."


def _meanings(reading: Reading) -> str:
    return "; ".join(f"{meaning} {', '.join(f'`{word}`' for word in told)}" for meaning, told in words(reading))


def _of_link(entry: Provider) -> str:
    if bytes_from(entry) == ENDPOINT:
        return "There is no link that could end: the bytes are asked for as long as the provider has them."
    life = entry.life.url
    ends = f"A link ends {lasting(life)} after the job" if life else "How long a link lives is only known from itself"
    if entry.refresh:
        return f"{ends}. A fresh one is asked for, up to three times."
    if entry.content:
        return f"{ends}. The content endpoint gives the bytes without one."
    return f"{ends}. Nothing gives another: what was not fetched by then is lost (`url_expired`)."


def _of_record(entry: Provider) -> str:
    life = entry.life.record
    if life is None:
        return "How long the provider keeps a job is not known: once it is gone, so are bytes that are not here."
    return f"The provider keeps a job {lasting(life)}; what is not here by then is lost (`job_record_gone`)."


def _of_report(entry: Provider) -> str:
    if entry.poll and entry.webhook:
        return "A webhook that is lost costs time alone, as a started job is asked for in any case."
    if entry.poll:
        return "A job of which no `outlast.generation.started` tells is not asked for."
    silent = "after `OUTLAST_GENERATION_SECONDS` a started job is `provider_silent`"
    if entry.webhook:
        return f"A webhook that is lost is not made up for: {silent}."
    return f"An output that no event tells of is never fetched; {silent}."
