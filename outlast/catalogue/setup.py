"""What people do to have a provider's outputs captured: steps in Markdown."""

from collections.abc import Iterator

from outlast.catalogue.describing import is_to_be_extended, listed
from shared.providers import Provider
from shared.providers.webhook import SECRET_SCHEMES, Webhook

STARTED = "Publish [`outlast.generation.started`](../intake.md) when you start a job"
READY = "Publish [`outlast.output.ready`](../intake.md) as soon as the provider has finished"
NAMES = "with `provider`, `provider_account` and `job_id`"
OUTPUT_NAMES = "with `provider`, `provider_account`, `job_id`, `output_id` and `url`"


def steps(entry: Provider, patterns: tuple[str, ...]) -> Iterator[str]:
    """What is to be done, in order; `patterns` are those of the models that the entry tells apart."""
    if is_to_be_extended(entry):
        yield (
            f'Name your server: a file with a `name` of your own, `extends = "{entry.name}"` and your `base_url`, in a'
            " folder that `OUTLAST_PROVIDERS_DIR` names. Your events then say that name."
        )
    if entry.credential:
        file, header = entry.credential.file, f"{entry.credential.header}: {entry.credential.prefix}…"
        yield f"Put the key of each provider account into `{file}`, one line. It is sent as `{header}`."
    if entry.webhook:
        yield from _webhook(entry.name, entry.webhook)
    yield _event(entry)
    if patterns:
        models = listed(f"`{pattern}`" for pattern in patterns)
        yield f"Say the model as `provenance.model` of that event, as the entry has rules of its own for {models}."
    yield _trial(entry)


def _webhook(name: str, webhook: Webhook) -> Iterator[str]:
    yield (
        "For webhooks [open the door](../webhooks.md), and give the provider the address that"
        f" `outlast providers webhook {name} --account ACCOUNT --provider-account PROVIDER_ACCOUNT` prints."
    )
    if webhook.secret_file and webhook.scheme in SECRET_SCHEMES:
        yield f"Put the secret that signs them into `{webhook.secret_file}`."


def _event(entry: Provider) -> str:
    if entry.poll and entry.poll.url:
        return f"{STARTED}, {NAMES}."
    if entry.poll:
        return f"{STARTED}, {NAMES}, and as `record_url` the address of its record in the provider's answer."
    if entry.webhook:
        return f"{STARTED}, {NAMES}, so that its description is known and silence is noticed."
    with_what = NAMES if entry.content else OUTPUT_NAMES
    return f"{READY}, once for each output, {with_what}."


def _trial(entry: Provider) -> str:
    test = f"`outlast providers test {entry.name} --sample answer.json` tells what a saved answer means"
    if entry.poll or entry.refresh:
        record = "" if any(question and question.url for question in (entry.poll, entry.refresh)) else " --record-url -"
        return f"Try it: `outlast providers check {entry.name} --job ID{record}` asks for a job of yours; {test}."
    return f"Try it: {test}." if entry.webhook else "Try it with a first event, and `outlast show JOB`."
