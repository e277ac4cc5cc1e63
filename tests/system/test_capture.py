"""One published event becomes a proven, durable object, through four processes."""

import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from tests.conftest import OUTLAST
from tests.system.conftest import SERVICES, System, until
from tests.system.source import CANARY, noise_digest, picture


def test_an_event_becomes_an_asset_that_reads_back_with_its_digest(system: System) -> None:
    system.start_all()
    system.publish(system.event(system.source.link("picture/one"), job="one", kind="image"))
    until(lambda: system.count("state = 'complete'") == 1, "the task is complete")
    ((uri, digest, size, kind),) = system.rows("SELECT durable_uri, h3, size, kind FROM tasks")
    body = system.read(uri)
    assert body == picture("one")
    assert (sha256(body).hexdigest(), len(body), kind) == (digest, size, "image")
    assert re.fullmatch(rf"s3://{system.assets}/image/studio/one/1/0-{digest}\.png", uri)
    head = system.s3.stat_object(system.assets, uri.split("/", 3)[3])
    assert head.content_type == "image/png"
    facts = json.loads(system.read(f"{uri}.outlast.json"))
    assert facts["sha256"] == digest
    until(lambda: system.count("announced_at IS NOT NULL") == 1, "the asset is announced")
    ((key, announced),) = system.messages("outlast.results")
    assert key == "asset.complete.studio"
    assert json.loads(announced)["data"]["object"]["sha256"] == digest
    traces = {name: set(re.findall(r'"trace_id": "([0-9a-f]{32})"', system.log(name))) for name in SERVICES}
    assert len(set.union(*traces.values())) == 1, "one trace per capture"
    assert all(traces.values()), "and every service is in it"


def test_the_same_event_a_hundred_times_at_once_is_one_task_and_one_asset(system: System) -> None:
    """FR-42, fault 12."""
    system.start_all()
    message = system.event(system.source.link("picture/same"), job="same", event_id="same", kind="image")
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda _: system.publish(*[message] * 10), range(10)))
    until(lambda: system.count("state = 'complete'") == 1, "the task is complete")
    until(
        lambda: sum(float(m) for m in re.findall(r"^outlast_events_total{.*} (\S+)", _metrics(system), re.M)) == 100,
        "all hundred events were read",
    )
    assert system.count() == 1
    assert len(system.asset_names()) == 1
    assert system.rows("SELECT count(*) FROM claims WHERE stage = 'download'") == [(1,)]


def _metrics(system: System) -> str:
    return system.http("ingest", "/metrics")[1]


def test_five_short_links_behind_two_thousand_long_ones_complete_first(system: System) -> None:
    """FR-10."""
    system.start("ingest")
    system.publish(
        *(
            system.event(system.source.link(f"picture/{n}", life=86400), job=f"long-{n}", kind="image")
            for n in range(2000)
        )
    )
    until(lambda: system.count() == 2000, "all long ones are accepted", 90)
    system.publish(
        *(system.event(system.source.link(f"picture/{n}", life=60), job=f"short-{n}", kind="image") for n in range(5))
    )
    until(lambda: system.count() == 2005, "all are accepted")
    for service in ("downloader", "verifier", "promoter"):
        system.start(service, OUTLAST_SLOTS="2")
    until(lambda: system.count("job_id LIKE 'short-%' AND state = 'complete'") == 5, "the short ones are complete")
    first = system.rows("SELECT job_id FROM tasks WHERE staged_at IS NOT NULL ORDER BY staged_at LIMIT 5")
    assert sorted(job for (job,) in first) == [f"short-{n}" for n in range(5)]
    order = [job for (job,) in system.rows("SELECT job_id FROM tasks WHERE state = 'complete' ORDER BY completed_at")]
    # With two slots each, at most what was under way beside the last short one can end before it.
    assert max(order.index(f"short-{n}") for n in range(5)) < 5 + 3 * 2


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"\xff\xfe" + CANARY.encode(), "not_utf8"),
        (b'{"data": {"url": "http://x/' + CANARY.encode(), "not_json"),
        (
            json.dumps({"specversion": "1.0", "data": {"url": f"http://x/?{CANARY}", CANARY: 1}}).encode(),
            "wrong_schema",
        ),
        (b'"' + CANARY.encode() * 30_000 + b'"', "too_large"),
    ],
)
def test_a_malformed_event_is_recorded_without_its_content_and_the_reader_lives(
    system: System, body: bytes, reason: str
) -> None:
    """FR-60, fault 13."""
    assert reason != "too_large" or len(body) > 300 * 1024
    system.start_all()
    system.publish(("studio.outlast.output.ready", body), ("studio.outlast.output.ready", body))
    system.publish(system.event(system.source.link("picture/good"), job="good", kind="image"))
    until(lambda: system.count("state = 'complete'") == 1, "the good one is complete")
    rows = system.rows("SELECT account, reason, body_bytes, times FROM rejected_events")
    assert rows == [("studio", reason, len(body), 2)]
    until(lambda: system.rows("SELECT count(*) FROM rejected_events WHERE announce_at IS NULL") == [(1,)], "announced")
    results = system.messages("outlast.results")
    rejected = [json.loads(text) for key, text in results if key == "event.rejected.studio"]
    assert rejected
    assert {event["data"]["reason"] for event in rejected} == {reason}
    assert CANARY not in json.dumps(rejected)
    assert system.messages("outlast.intake") == []


def test_an_event_of_an_account_that_is_none_is_recorded_too(system: System) -> None:
    system.start("ingest")
    _, body = system.event(system.source.link("picture/x"), job="x")
    system.publish(("Not-An-Account.outlast.output.ready", body), ("", body), ("unknown.outlast.output.ready", body))
    until(lambda: system.rows("SELECT times FROM rejected_events") == [(3,)], "all three are recorded")
    assert system.rows("SELECT account, reason FROM rejected_events") == [("unknown", "bad_account")]
    assert system.count() == 0


def test_an_error_page_a_dead_link_and_a_wrong_kind_need_attention_with_their_reasons(system: System) -> None:
    system.start_all()
    system.publish(
        system.event(system.source.link("html/x"), job="page", kind="video"),
        system.event(system.source.link("gone/x"), job="gone", kind="image", ready_at="2026-01-01T00:00:00Z"),
        system.event(system.source.link("picture/x"), job="kind", kind="video"),
        system.event(system.source.link("picture/x", life=-60), job="expired", kind="image"),
        system.event("http://169.254.169.254/latest/meta-data?" + CANARY, job="attack", kind="image"),
        system.event("file:///etc/passwd?" + CANARY, job="file", kind="image"),
        system.event(system.source.link("picture/x"), job="size", kind="image", expected={"size": 7}),
    )
    until(lambda: system.count("state = 'needs_attention'") == 7, "all seven stopped", 90)
    found = dict(system.rows("SELECT job_id, reason FROM tasks"))
    assert found == {
        "page": "error_body",
        "gone": "source_gone",
        "kind": "wrong_kind",
        "expired": "url_expired",
        "attack": "blocked_address",
        "file": "blocked_address",
        "size": "size_mismatch",
    }
    # What the verifier refused stays, the bytes of both transfers.
    kept = system.rows("SELECT t.job_id, r.key FROM rejected r JOIN tasks t USING (task_id) ORDER BY r.rejected_at")
    assert [job for job, _ in kept] == ["kind", "kind"]
    assert {key for _, key in kept} <= set(system.objects(system.staging))
    assert system.asset_names() == []


def test_the_command_publishes_and_waits_for_the_asset_or_the_reason(system: System) -> None:
    system.start_all()
    environment = {**system.environment, "OUTLAST_DATABASE_URL": system.database.url("outlast_reader")}

    def outlast(*arguments: str, link: str) -> subprocess.CompletedProcess[str]:
        fixed = ["publish", "--url", "-", "--account", "studio", "--provider", "tests", "--kind", "image", "--wait"]
        return subprocess.run(
            [OUTLAST, *fixed, *arguments], env=environment, input=link, capture_output=True, text=True, timeout=90
        )

    good = outlast("--job", "cli-good", link=system.source.link("picture/cli"))
    assert good.returncode == 0, good.stderr
    assert f"s3://{system.assets}/image/studio/cli-good/" in good.stdout.replace("\n", "")
    bad = outlast("--job", "cli-bad", link=system.source.link("picture/cli", life=-5))
    assert bad.returncode == 1
    assert "url_expired" in bad.stdout
    assert CANARY not in good.stdout + good.stderr + bad.stdout + bad.stderr


def test_a_body_whose_length_nothing_tells_is_believed_only_when_it_comes_twice(system: System) -> None:
    """Fault 46, FR-20."""
    system.start("ingest")
    system.start("downloader")
    system.publish(
        system.event(system.source.link("closed/a"), job="steady"),
        system.event(system.source.link("shifting/a"), job="shifting"),
    )
    until(lambda: system.count("state IN ('verifying', 'needs_attention')") == 2, "both came to their end")
    assert dict(system.rows("SELECT job_id, coalesce(reason, state) FROM tasks")) == {
        "steady": "verifying",
        "shifting": "length_unproven",
    }
    acts = system.rows("SELECT act FROM history JOIN tasks USING (task_id) WHERE job_id = 'steady' ORDER BY history_id")
    assert [act for (act,) in acts] == ["accept", "claim", "unproven", "claim", "staged"]


def peak_memory(system: System, size: int) -> float:
    """MiB that a downloader has taken at most for one object of that size."""
    # A variable of the interpreter's has it started whole; a forked one holds the modules of all services.
    name = system.start("downloader", name=f"downloader-{size}", PYTHONUNBUFFERED="1")
    system.publish(system.event(system.source.link(f"noise/{size}"), job=f"noise-{size}"))
    until(lambda: system.count(f"job_id = 'noise-{size}' AND state = 'verifying'") == 1, "the bytes are staged", 120)
    status = Path(f"/proc/{system.processes[name].pid}/status").read_text()
    (peak,) = re.findall(r"^VmHWM:\s+(\d+) kB", status, re.M)
    ((digest,),) = system.rows(f"SELECT h1 FROM tasks WHERE job_id = 'noise-{size}'")
    assert digest == noise_digest(size)
    system.stop(name)
    return int(peak) / 1024


def test_memory_of_a_transfer_does_not_depend_on_its_size(system: System) -> None:
    """FR-61."""
    system.start("ingest")
    small, large = peak_memory(system, 100 * 2**20), peak_memory(system, 400 * 2**20)
    print(f"peak memory of the downloader: 100 MiB {small:.1f} MiB, 400 MiB {large:.1f} MiB")
    assert abs(large - small) <= 0.1 * small
    assert max(small, large) * 2**20 < 120e6
