"""What the demonstration sends."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from deploy.local.demo.entry import write_entry
from deploy.local.demo.provider import DemoProvider
from deploy.local.demo.scenario import COMPLETE, PROVIDER, made_media, own_files
from shared.messages import Kind, task_id_of
from shared.providers import Registry

NOW = datetime(2026, 12, 1, tzinfo=UTC)
ORIGIN = "http://127.0.0.1:1"


def test_made_media_has_good_ones_and_two_that_cannot_be_had() -> None:
    captures = made_media("run")
    good = [capture for capture in captures if capture.ending == COMPLETE]
    assert {capture.kind for capture in good} >= {Kind.VIDEO, Kind.IMAGE, Kind.PDF}
    assert any(capture.link_age > capture.offer.life and capture.offer.has_record for capture in good)
    assert len([capture for capture in captures if capture.ending]) == 2


def test_two_runs_are_different_tasks() -> None:
    def tasks(run: str) -> set[object]:
        captures = made_media(run)
        provider = DemoProvider("CANARY", ORIGIN, [capture.offer for capture in captures])
        return {task_id_of("demo", capture.event(provider, NOW).data) for capture in captures}

    assert len(tasks("one") | tasks("two")) == 2 * len(made_media("one"))


def test_an_event_of_an_old_link_was_ready_when_the_link_was_made() -> None:
    captures = made_media("run")
    provider = DemoProvider("CANARY", ORIGIN, [capture.offer for capture in captures], lambda: NOW)
    (late,) = [capture for capture in captures if capture.link_age and capture.ending == COMPLETE]
    event = late.event(provider, NOW)
    assert event.data.ready_at == NOW - timedelta(seconds=late.link_age)
    assert event.data.link == provider.issued[0]


def test_own_files_are_sent_under_names_that_can_be_printed(tmp_path: Path) -> None:
    names = ["a.mp4", "sub/b c.png", "odd\nname.png", b"not-utf8-\xff.png".decode(errors="surrogateescape")]
    captures = list(own_files("run", tmp_path, map(Path, names)))
    assert [capture.label for capture in captures] == ["a.mp4", "sub/b c.png", "odd?name.png", "not-utf8-?.png"]
    assert [capture.offer.body for capture in captures] == [tmp_path / name for name in names]
    assert len({capture.offer.job_id for capture in captures}) == len(captures)
    provider = DemoProvider("CANARY", ORIGIN, [capture.offer for capture in captures])
    assert all(capture.event(provider, NOW).data.kind is None for capture in captures)


def test_the_written_entry_is_one_that_outlast_reads(tmp_path: Path) -> None:
    entries = write_entry(tmp_path / 'a "quoted" {folder}', ORIGIN, "sk-CANARY")
    entry = Registry.load(entries).find(PROVIDER)
    assert entry.refresh is not None
    assert entry.refresh.url == ORIGIN + "/v1/jobs/{job_id}"
    assert entry.credential is not None
    key_file = Path(entry.credential.path("demo"))
    assert key_file.read_text() == "sk-CANARY"
    assert key_file.stat().st_mode & 0o077 == 0
