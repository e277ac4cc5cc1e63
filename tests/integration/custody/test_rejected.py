"""Refused bytes stay, marked with a lifetime; people list, fetch and purge them, and no task loses what it needs."""

import hashlib
import stat
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from psycopg import errors

from shared.errors import UsageError
from shared.objects import Store
from shared.states import Stage
from tests.conftest import TestDatabase
from tests.integration.custody.conftest import DAYS, Command, Refuse, Staged, refuse
from tests.integration.db.conftest import As
from tests.integration.db.moves import taken
from tests.integration.objects.proxy import Proxy, says
from tests.integration.objects.servers import S3

PAGE = b"<!DOCTYPE html><title>no picture</title>"
OTHER = b"<!DOCTYPE html><title>no picture either</title>"


def test_refused_bytes_stay_where_they_are_marked_with_what_and_why_and_until_when(
    database: TestDatabase, refused: Refuse, store: Store, bucket: str
) -> None:
    first = refused(PAGE, act="rejected", reason="not_media")
    second = refused(OTHER, reason="undecodable", task_id=first.claim.task_id)
    with psycopg.connect(database.url()) as connection:
        rows = connection.execute(
            "SELECT task_id, epoch, bucket, key, size, sha256, reason, keep_until - rejected_at"
            " FROM rejected ORDER BY epoch"
        ).fetchall()
    task_id, life = first.claim.task_id, timedelta(seconds=30 * DAYS)
    assert rows == [
        (task_id, verify.claim.epoch, bucket, verify.key, len(body), hashlib.sha256(body).hexdigest(), reason, life)
        for verify, body, reason in ((first, PAGE, "not_media"), (second, OTHER, "undecodable"))
    ]
    assert store.digest(bucket, first.key).size == len(PAGE)
    assert store.digest(bucket, second.key).size == len(OTHER)


def test_the_same_object_refused_again_after_a_retry_has_one_mark(
    database: TestDatabase, as_role: As, refused: Refuse, command: Command
) -> None:
    task_id = refused(PAGE).claim.task_id
    assert "goes on as verifying" in command.text("retry", task_id, "--why", "new release")
    assert command.lines("rejected")[0]["in_use"]
    assert "in use again" in command.text("rejected")
    again = taken(as_role("verifier"), Stage.VERIFY)
    refuse(as_role, again, reason="undecodable")
    (row,) = command.lines("rejected")
    assert (row["epoch"], row["reason"], row["in_use"]) == (again.epoch, "undecodable", False)


def test_a_worker_without_the_lease_refuses_and_marks_nothing(as_role: As, staged: Staged, command: Command) -> None:
    late = replace(staged(PAGE).claim, epoch=7)
    values = {"reason": "not_media", "evidence": {}, "keep_seconds": 9}
    assert not as_role("verifier").run("refused", **late.token, **values)
    assert not as_role("verifier").run("rejected", **late.token, **values)
    assert command.lines("rejected") == []


def test_nobody_may_do_more_than_is_theirs(database: TestDatabase) -> None:
    for role, statement in (
        ("reader", b"SELECT key FROM rejected"),
        ("downloader", b"SELECT key FROM rejected"),
        ("verifier", b"UPDATE rejected SET purged_at = now()"),
        ("verifier", b"DELETE FROM rejected"),
        ("operator", b"DELETE FROM rejected"),
        ("operator", b"UPDATE rejected SET reason = 'infected'"),
    ):
        url = database.url(f"outlast_{role}")
        with psycopg.connect(url) as connection, pytest.raises(errors.InsufficientPrivilege):
            connection.execute(statement)


def test_the_list_is_newest_first_and_keeps_to_its_filters(refused: Refuse, command: Command) -> None:
    refused(PAGE, account="studio", reason="not_media")
    refused(OTHER, account="other", reason="encrypted")
    refused(PAGE, account="studio", reason="encrypted")
    told = [(row["account"], row["reason"]) for row in command.lines("rejected")]
    assert told == [("studio", "encrypted"), ("other", "encrypted"), ("studio", "not_media")]
    assert len(command.lines("rejected", "--account", "studio")) == 2
    assert [row["account"] for row in command.lines("rejected", "--reason", "encrypted")] == ["studio", "other"]
    assert len(command.lines("rejected", "--since", "1h")) == 3
    assert command.lines("rejected", "--since", "2040-01-01T00:00:00Z") == []
    page = command.run("rejected", "--limit", 1)
    before = page.stderr.partition("--before ")[2].strip()
    assert [row["account"] for row in command.lines("rejected", "--before", before)] == ["other", "studio"]
    assert "staging/" not in command.text("rejected", "--json")


def test_fetched_bytes_are_in_a_private_file_whose_name_warns(
    refused: Refuse, command: Command, tmp_path: Path
) -> None:
    verify = refused(PAGE)
    text = command.text("rejected", "fetch", verify.claim.task_id, "--to", tmp_path / "clip.mp4")
    file = tmp_path / "clip.mp4.hostile"
    assert file.read_bytes() == PAGE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "Hostile: do not open it" in text
    assert "not_media" in text
    with pytest.raises(UsageError, match=r"Cannot make the new file .*: File exists"):
        command.run("rejected", "fetch", verify.claim.task_id, "--to", file)
    assert file.read_bytes() == PAGE
    command.text("rejected", "fetch", str(verify.claim.task_id)[:8], "--to", tmp_path / "short")
    with pytest.raises(UsageError, match="Give the id of one task; 00000000 names none"):
        command.run("rejected", "fetch", "00000000", "--to", tmp_path / "other")
    with pytest.raises(UsageError, match=r"Nothing is kept .* by its claim 9"):
        command.run("rejected", "fetch", verify.claim.task_id, "--epoch", 9, "--to", tmp_path / "other")


def test_bytes_that_changed_in_the_store_leave_no_file(
    refused: Refuse, command: Command, store: Store, bucket: str, tmp_path: Path
) -> None:
    verify = refused(PAGE)
    store.put(bucket, verify.key, PAGE.upper(), content_type="text/html")
    with pytest.raises(UsageError, match="digest_mismatch"):
        command.run("rejected", "fetch", verify.claim.task_id, "--to", tmp_path / "clip")
    assert not (tmp_path / "clip.hostile").exists()


def test_a_purge_shows_what_would_go_and_asks_first(
    refused: Refuse, command: Command, store: Store, bucket: str
) -> None:
    verify = refused(PAGE)
    text = command.text("rejected", "purge", verify.claim.task_id, "--why", "space", code=1, input="n\n")
    assert f"1 refused, {len(PAGE)} bytes together." in text
    assert store.stat(bucket, verify.key) is not None
    assert len(command.lines("rejected")) == 1


def test_a_purge_deletes_the_object_and_is_told_with_who_and_why_and_does_nothing_twice(
    database: TestDatabase, refused: Refuse, command: Command, store: Store, bucket: str
) -> None:
    task_id = refused(PAGE).claim.task_id
    other = refused(OTHER)
    words = ("--why", "personal data, see https://h/p?sig=CANARY", "--by", "kim", "--yes")
    assert command.text("rejected", "purge", task_id, *words).endswith("Purged: 1.\n")
    assert command.lines("rejected", "purge", task_id, *words) == [{"found": 0, "purged": 0, "in_use": 0}]
    assert store.stat(bucket, other.key) is not None
    assert [row["task_id"] for row in command.lines("rejected")] == [str(other.claim.task_id)]
    purged = next(row for row in command.lines("rejected", "--purged") if row["purged_at"])
    assert (purged["task_id"], purged["purged_by"]) == (str(task_id), "kim")
    assert "CANARY" not in purged["why"]
    story = command.text("show", task_id)
    assert "are purged" in story
    assert "by: kim" in story


def test_a_purge_that_was_cut_short_is_ended_by_the_next_and_no_retry_comes_between(
    refused: Refuse, command: Command, proxy: Proxy, s3: S3, store: Store, bucket: str
) -> None:
    verify = refused(PAGE)
    proxy.fault("DELETE", bucket, says(403, "AccessDenied"))
    words = ("rejected", "purge", verify.claim.task_id, "--why", "space", "--yes")
    shut = replace(command, variables={**command.variables, "OUTLAST_S3_ENDPOINT": proxy.endpoint})
    with pytest.raises(Exception, match="storage_denied"):
        shut.run(*words)
    assert store.stat(bucket, verify.key) is not None
    assert len(command.lines("rejected")) == 1, "it is not told as purged"
    assert "goes on as output_ready" in command.text("retry", verify.claim.task_id, "--why", "again")
    assert command.text(*words).endswith("Purged: 1.\n")
    assert store.stat(bucket, verify.key) is None


def test_bytes_with_which_a_task_was_sent_on_are_left_alone(
    refused: Refuse, command: Command, store: Store, bucket: str
) -> None:
    verify, old = refused(PAGE), refused(OTHER)
    command.text("retry", verify.claim.task_id, "--why", "new release")
    words = ("rejected", "purge", "--older-than", "2040-01-01T00:00:00Z", "--why", "space", "--yes")
    assert command.lines(*words) == [{"found": 2, "purged": 1, "in_use": 1}]
    assert store.stat(bucket, verify.key) is not None
    assert store.stat(bucket, old.key) is None


def test_bytes_that_were_refused_and_are_held_since_for_a_person_are_left_alone(
    as_role: As, refused: Refuse, command: Command, store: Store, bucket: str
) -> None:
    verify = refused(PAGE)
    task_id = verify.claim.task_id
    command.text("retry", task_id, "--why", "new release")
    claim = taken(as_role("verifier"), Stage.VERIFY)
    proven = {"sha256": claim.h1, "kind": "text", "facts": {"kind": "text"}, "verifier_version": "policy 9"}
    held = {**proven, "reason": "held_for_review", "flags": ["secrets"], "evidence": {}}
    assert as_role("verifier").run("held", **claim.token, **held)
    purge = ("rejected", "purge", task_id, "--why", "space", "--yes")
    assert command.lines(*purge) == [{"found": 1, "purged": 0, "in_use": 1}]
    command.text("release", task_id, "--reject", "--why", "a secret")
    assert command.lines(*purge) == [{"found": 1, "purged": 1, "in_use": 0}]
    assert store.stat(bucket, verify.key) is None


def test_a_retry_after_a_purge_begins_with_a_new_download(refused: Refuse, command: Command) -> None:
    task_id = refused(PAGE).claim.task_id
    command.text("rejected", "purge", task_id, "--why", "space", "--yes")
    assert "goes on as output_ready" in command.text("retry", task_id, "--why", "the source is mended")


def test_the_story_tells_how_long_refused_bytes_stay(refused: Refuse, command: Command) -> None:
    task_id = refused(PAGE).claim.task_id
    story = command.text("show", task_id)
    assert f"its {len(PAGE)} bytes are kept until 20" in story
    (told,) = command.lines("show", task_id)
    assert [row["reason"] for row in told["rejected"]] == ["not_media"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--why", "x"), "Name a task, or give --older-than"),
        (("--older-than", "1d", "--why", " "), "must not be empty"),
        (("--older-than", "1d", "--why", "x", "--json"), "give --yes too"),
    ],
)
def test_a_purge_that_is_not_said_whole_is_refused(command: Command, words: tuple[str, ...], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        command.run("rejected", "purge", *words)
