"""Webhooks that are signed as each provider documents are believed by its entry, and others are not."""

import pytest

from services.ingest.reported import Job
from services.ingest.webhooks import Unproven
from services.ingest.webhooks.notice import Notice
from shared.providers.report import read
from tests.unit.ingest.webhooks.senders import ATLAS, BFL, BODY, FAL, GEMINI, SECONDS, STANDARD, Sender, proven
from tests.unit.providers.samples import ENTRIES, SAMPLES, Sample, called, reading_of

STALE = b"%d" % (SECONDS - 301)
WORTH = {
    "atlascloud": ("ed25519", True),
    "bfl": ("hmac", True),
    "fal": ("ed25519", True),
    "replicate": ("standard", True),
    # The body does not say what became of the job ...
    "gemini": ("standard", False),
    "gemini-dynamic": ("jwt", False),
    "kling-v2": ("standard", False),
    "openai-video": ("standard", False),
    # ... or anybody may have written it.
    "ark": ("unsigned", False),
    "kling": ("unsigned", False),
    "luma": ("unsigned", False),
    "minimax": ("challenge", False),
    "modelark": ("unsigned", False),
}


SIGNS = {
    **dict.fromkeys(("gemini", "kling-v2", "openai-video", "replicate"), STANDARD.signs),
    "atlascloud": ATLAS.signs,
    "bfl": BFL.signs,
    "fal": FAL.signs,
    "gemini-dynamic": GEMINI.signs,
}


def sender(name: str) -> Sender:
    webhook = ENTRIES[name].webhook
    assert webhook is not None
    return Sender(name, webhook, SIGNS[name])


def test_a_webhook_is_worth_what_proves_it_and_what_it_says() -> None:
    found = {name: (entry.webhook.scheme, entry.webhook.reports) for name, entry in ENTRIES.items() if entry.webhook}
    assert found == WORTH


def test_every_signed_webhook_is_tried_here() -> None:
    assert set(SIGNS) == {name for name, (scheme, _) in WORTH.items() if scheme not in ("unsigned", "challenge")}


@pytest.mark.parametrize("name", SIGNS)
def test_a_webhook_signed_as_its_provider_does_is_believed(name: str) -> None:
    # A token of Gemini's says nothing of the body.
    assert proven(sender(name), sender(name).headers()).binds_body is (name != "gemini-dynamic")


@pytest.mark.parametrize("name", sorted({*SIGNS} - {"gemini-dynamic"}))
def test_a_changed_body_is_not_believed(name: str) -> None:
    with pytest.raises(Unproven):
        proven(sender(name), sender(name).headers(), BODY + b" ")


@pytest.mark.parametrize("name", sorted({*SIGNS} - {"bfl"}))
def test_an_old_webhook_is_not_believed_where_its_time_is_signed(name: str) -> None:
    with pytest.raises(Unproven):
        proven(sender(name), sender(name).headers(at=STALE))


def test_a_key_of_atlas_cloud_is_found_by_its_name() -> None:
    with pytest.raises(Unproven):
        proven(sender("atlascloud"), {**sender("atlascloud").headers(), "x-atlascloud-webhook-key-id": [b"another"]})


WEBHOOKS = [named for named in SAMPLES if "then" in named[1]]


@pytest.mark.parametrize("named", WEBHOOKS, ids=map(called, WEBHOOKS))
def test_what_follows_from_a_webhook(named: tuple[str, Sample]) -> None:
    name, sample = named
    report = read(reading_of(name, "webhook"), sample["answer"])
    notice = Notice(Job("studio", name, "default", str(report.job_id)), report, ENTRIES[name], WORTH[name][1])
    follows = "report" if notice.is_final else "ask" if notice.is_news else "nothing"
    assert follows == sample["then"]
