"""Verdicts on assets are kept, and only for assets of the account that speaks."""

from datetime import UTC, datetime

from services.ingest.events import Outcome
from tests.integration.ingest.conftest import Say, See

URL = "https://cdn.example/a.mp4"


def test_of_several_verdicts_the_newest_holds_whatever_their_order(say: Say, see: See) -> None:
    task_id = say("output.ready", url=URL).task_id
    verdicts = [("rejected", "kim", "2026-01-02T00:00:00Z"), ("approved", "lee", "2026-01-01T00:00:00Z")]
    for verdict, by, at in verdicts:
        answer = say("asset.reviewed", task_id=str(task_id), verdict=verdict, reviewed_by=by, reviewed_at=at)
        assert answer.outcome is Outcome.ACCEPTED
    [(review,)] = see(f"SELECT review_of('{task_id}')")
    assert (review["verdict"], review["reviewed_by"]) == ("rejected", "kim")
    assert datetime.fromisoformat(review["reviewed_at"]) == datetime(2026, 1, 2, tzinfo=UTC)


def test_a_verdict_changes_no_state_and_is_part_of_the_story(say: Say, see: See) -> None:
    task_id = say("output.ready", url=URL).task_id
    say(
        "asset.reviewed",
        task_id=str(task_id),
        verdict="rejected",
        reviewed_by="kim",
        note="See https://h.example/x?token=KEYMARK",
    )
    assert see("SELECT state, announce_at FROM tasks") == [("output_ready", None)]
    [(act, detail)] = see("SELECT act, detail FROM history WHERE act = 'reviewed'")
    assert (act, detail["verdict"], detail["reviewed_by"]) == ("reviewed", "rejected", "kim")
    assert "KEYMARK" not in str([*see("SELECT note FROM reviews"), (detail,)])


def test_a_verdict_on_another_accounts_asset_is_one_on_an_unknown_task(say: Say, see: See) -> None:
    task_id = say("output.ready", url=URL).task_id
    answer = say("asset.reviewed", account="other", task_id=str(task_id), verdict="approved", reviewed_by="kim")
    assert answer.outcome is Outcome.UNKNOWN_TASK
    assert see("SELECT count(*) FROM reviews") == [(0,)]


def test_a_verdict_finds_its_asset_by_the_id_that_the_producer_computed(say: Say, see: See) -> None:
    say("generation.started")
    row = say("output.ready", url=URL).task_id
    computed = see("SELECT alias_id FROM aliases")[0][0]
    assert say("asset.reviewed", task_id=str(computed), verdict="approved", reviewed_by="kim").task_id == row
