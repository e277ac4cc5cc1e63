"""Faults of our own parts: work waits for their end and nothing is charged, refused or lost."""

import resource
import socket
from time import monotonic

import psycopg

from tests.system.conftest import System, until
from tests.system.source import picture


def test_events_that_cannot_be_stored_for_a_while_are_stored_later(system: System) -> None:
    """A right that is missing is mended from outside; until then every event goes back to its queue."""
    system.start("ingest")
    with psycopg.connect(system.database.url(), autocommit=True) as administrator:
        administrator.execute("REVOKE INSERT ON tasks FROM outlast_ingest")
        system.publish_pictures(3)
        until(lambda: system.log("ingest").count("intake_paused") >= 8, "the events came back several times", 90)
        assert system.count() == 0
        administrator.execute("GRANT INSERT ON tasks TO outlast_ingest")
    until(lambda: system.count() == 3, "all are stored", 60)
    assert system.rows("SELECT count(*) FROM rejected_events") == [(0,)]
    assert system.rows("SELECT count(*) FROM redeliveries") == [(0,)]


def test_a_check_that_breaks_does_not_leave_the_intake_paused(system: System) -> None:
    system.start("ingest")
    with psycopg.connect(system.database.url(), autocommit=True) as administrator:
        administrator.execute("ALTER TABLE alembic_version RENAME TO elsewhere")
        until(lambda: system.http("ingest", "/readyz")[0] == 503, "it says that it is not ready")
        administrator.execute("ALTER TABLE elsewhere RENAME TO alembic_version")
    system.publish_pictures(1)
    until(lambda: system.count() == 1, "the event is stored", 60)


def test_case_67_a_disk_with_no_room_for_one_file_holds_up_that_file_alone(system: System) -> None:
    """The size limit of files stands for the full disk: a large file cannot be written, small ones and the log can."""
    system.source.trouble("picture/large", lambda _: (200, {}, picture("large", side=1200)))
    system.start_all()
    unlimited = resource.RLIM_INFINITY
    resource.prlimit(system.processes["verifier"].pid, resource.RLIMIT_FSIZE, (3 * 2**20, unlimited))
    system.publish(system.event(system.source.link("picture/large"), job="large", kind="image"))
    told = "SELECT FROM claims WHERE reason = 'probe' AND evidence ->> 'detail' LIKE '%File too large%'"
    until(lambda: system.rows(told), "the file does not fit", 60)
    system.publish_pictures(3)
    until(lambda: system.count("state = 'complete'") == 3, "the others are complete", 60)
    assert system.rows("SELECT state, strikes, verifications FROM tasks WHERE job_id = 'large'") == [
        ("verifying", 0, 0)
    ]
    resource.prlimit(system.processes["verifier"].pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))
    until(lambda: system.count("state = 'complete'") == 4, "and so is it, once there is room", 60)


def test_case_67_a_work_folder_that_is_gone_poisons_no_task(system: System) -> None:
    folder = system.folder / "work"
    system.start("ingest")
    system.start("downloader")
    system.start("verifier", OUTLAST_WORK_DIR=str(folder))
    system.start("promoter")
    folder.rmdir()
    system.publish_pictures(3)
    until(lambda: "stage_paused" in system.log("verifier"), "the verifier waits")
    until(lambda: system.http("verifier", "/readyz")[0] == 503, "and says so")
    assert system.stop("verifier") == 0
    system.start("verifier", OUTLAST_WORK_DIR=str(folder))
    until(lambda: system.count("state = 'complete'") == 3, "all are complete", 60)
    assert system.rows("SELECT max(strikes), max(verifications) FROM tasks") == [(0, 0)]


def test_a_store_that_answers_nothing_keeps_no_process_past_its_time_to_end(system: System) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        system.start("ingest")
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        system.start("downloader", OUTLAST_S3_ENDPOINT=endpoint, OUTLAST_GRACE_SECONDS="6")
        # One goes in one piece, the other in parts, from threads of their own.
        system.source.trouble("picture/large", lambda _: (200, {}, picture("large", side=2000)))
        system.publish(system.event(system.source.link("picture/large"), job="large", kind="image"))
        system.publish_pictures(1)
        until(lambda: system.count("state = 'downloading'") == 2, "both are under way")
        with silent.accept()[0], silent.accept()[0]:
            began = monotonic()
            assert system.stop("downloader") == 0
            assert monotonic() - began < 12
    until(lambda: system.count("state <> 'downloading' AND tries = 0 AND strikes = 0") == 2, "and gives them back", 60)


def test_a_malformed_event_of_no_account_holds_up_no_other_rejection(system: System) -> None:
    system.start("ingest")
    system.publish(("-.outlast.output.ready", b"{"), *[("studio.outlast.output.ready", b"[" * n) for n in range(1, 6)])
    until(lambda: system.rows("SELECT count(*) FROM rejected_events WHERE announce_at IS NULL") == [(6,)], "announced")
    keys = [key for key, _ in system.messages("outlast.results")]
    assert sorted(keys) == ["event.rejected.studio"] * 5 + ["event.rejected.unknown"]
