"""The entries that come with Outlast read what their providers answer, and ask where they say."""

import json
from collections.abc import Mapping

import jmespath
import pytest

from shared.egress import parse
from shared.providers import Provider, Registry
from shared.providers.asking import address
from shared.providers.fields import filled_body
from shared.providers.report import Output, read
from shared.providers.webhook import SECRET_SCHEMES
from tests.faults.canary import tells
from tests.unit.providers.samples import ASKED, ENTRIES, SAMPLES, Sample, called, reading_of


def told(output: Output) -> Mapping[str, str]:
    ends = output.expires_at.isoformat() if output.expires_at else None
    told = {"id": output.output_id, "link": output.link, "ends": ends, "kind": output.kind}
    told |= {"code": output.code, "message": output.message}
    return {name: value for name, value in told.items() if value is not None}


@pytest.mark.parametrize("named", SAMPLES, ids=map(called, SAMPLES))
def test_an_answer_is_read_as_what_its_provider_means(named: tuple[str, Sample]) -> None:
    name, sample = named
    report = read(reading_of(name, sample["door"]), sample["answer"])
    assert report.job_id == sample.get("job_id")
    if "said" in sample:
        ended = report.completed_at.isoformat() if report.completed_at else None
        expected = [sample.get(key) for key in ("said", "word", "completed_at", "code", "message")]
        assert [report.said, report.word, ended, report.code, report.message] == expected
        assert [told(output) for output in report.outputs] == sample.get("outputs", [])
        assert list(report.notes) == sample.get("notes", [])
    assert not tells(repr(report))


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: str(asked["entry"]))
def test_a_job_is_asked_for_where_its_provider_says(asked: Sample) -> None:
    entry = ENTRIES[asked["entry"]]
    for door, question in (("poll", entry.poll), ("refresh", entry.refresh), ("content", entry.content)):
        found = address(entry, question, asked["job"], asked["output"], asked.get("given")) if question else None
        assert found == asked.get(door)
        if question:
            body = json.loads(filled_body(question.body, asked["job"], asked["output"])) if question.body else None
            assert (question.method, body) == (asked.get("method", "GET"), asked.get("body"))


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: str(asked["entry"]))
def test_an_entry_knows_key_and_lives_and_what_is_special_about_its_answers(asked: Sample) -> None:
    entry = ENTRIES[asked["entry"]]
    key = entry.credential and f"{entry.credential.header}: {entry.credential.prefix}"
    assert key == asked.get("key")
    assert [entry.life.url, entry.life.record] == asked.get("life", [None, None])
    assert (entry.poll.answer if entry.poll else "json") == asked.get("answer", "json")
    assert (entry.content.base64 if entry.content else None) == asked.get("base64")
    for question in filter(None, (entry.poll, entry.refresh)):
        assert question.headers == asked.get("headers", {})


@pytest.mark.parametrize("name", [asked["entry"] for asked in ASKED if "given" in asked])
@pytest.mark.parametrize(
    "url", ["https://evil.example/x", "http://queue.fal.run/x", "https://api.bfl.ai.evil.example/x"]
)
def test_an_address_elsewhere_is_not_asked_and_so_never_shown_the_key(name: str, url: str) -> None:
    poll = ENTRIES[name].poll
    assert poll is not None
    assert address(ENTRIES[name], poll, "job", given=url) is None


@pytest.mark.parametrize(
    "sample", [sample for _, sample in SAMPLES if "follow" in sample], ids=lambda s: str(s["shape"])
)
def test_only_a_finished_status_leads_on_to_its_result(sample: Sample) -> None:
    poll, refresh = ENTRIES["fal"].poll, ENTRIES["fal"].refresh
    assert poll is not None
    assert refresh is not None
    assert poll.follow is not None
    assert poll.follow == refresh.follow
    assert (jmespath.search(poll.follow, sample["answer"]) or None) == sample["follow"]


def test_an_entry_may_say_something_else_of_a_model() -> None:
    for model, path in (("image-to-video", "image-to-video/result"), ("upscale", "results"), (None, "results")):
        entry = Registry.load().find("stability", model)
        assert entry.poll is not None
        assert entry.content is not None
        assert entry.poll.url == entry.content.url == f"https://api.stability.ai/v2beta/{path}/{{job_id}}"


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_every_entry_says_what_it_knows_and_how_surely(entry: Provider) -> None:
    assert entry.title
    assert entry.last_checked
    assert entry.sources
    assert entry.facts
    assert entry.poll is None or entry.credential


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_every_entry_has_files_of_its_own_for_its_keys_and_shows_them_to_the_api_alone(entry: Provider) -> None:
    folder = f"/run/secrets/outlast/{entry.name}/{{provider_account}}"
    if entry.credential:
        assert entry.credential.file == f"{folder}.key"
        assert all(parse(origin).scheme == "https" for origin in entry.credential.origins)
    if entry.webhook and entry.webhook.scheme in SECRET_SCHEMES:
        assert entry.webhook.secret_file == f"{folder}.webhook"


def test_only_where_links_or_records_lie_on_the_api_does_an_entry_show_its_key_to_what_an_event_names() -> None:
    shown = {entry.name for entry in ENTRIES.values() if entry.credential and entry.credential.origins}
    assert shown == {"bfl", "fal", "gemini", "gemini-dynamic", "kling"}


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_every_entry_has_samples_of_each_end_and_of_a_word_that_nobody_knows(name: str) -> None:
    entry = ENTRIES[name]
    said = {(sample["door"], sample.get("said")) for owner, sample in SAMPLES if owner == name}
    # Of these two, HTTP says that a job failed.
    ends = {"done"} if name in ("fal", "stability") else {"done", "failed"}
    assert [asked for asked in ASKED if asked["entry"] == name]
    if entry.poll:
        assert {word for door, word in said if door == "poll"} >= {"running", "unknown", *ends}
    if entry.webhook and entry.webhook.reports:
        assert {word for door, word in said if door == "webhook"} >= {"done", "failed"}
    assert entry.webhook is None or "webhook" in {door for door, _ in said}
