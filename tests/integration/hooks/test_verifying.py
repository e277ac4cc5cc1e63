"""The verify stage with hooks behind its checks: what passes, what is held, what is refused, and what waits."""

import hashlib

import pytest

from services.verifier.hooks import Opinion, Subject
from services.verifier.hooks.clamd import Clamd
from services.verifier.hooks.scan import Scan
from shared.errors import Failure, LeaseLost
from shared.reasons import Reason
from shared.states import Stage
from shared.tasks.announcing import Results
from tests.faults.scanner import MALWARE, NAME, OwnScanner
from tests.integration.db.moves import taken
from tests.integration.hooks.verifying import Says, Verifying
from tests.media.pictures import chunk, picture

PICTURE = picture()
INFECTED = PICTURE[:-12] + chunk(b"ouTl", MALWARE) + PICTURE[-12:]
"""A good picture with a chunk that no reader knows."""
HOLD = Says(Opinion(hold=True, flags=("personal_data",), evidence={"note": "two faces"}))


def test_a_good_file_goes_on_with_the_flags_and_the_words_of_all_hooks(
    verifying: Verifying, scanner: OwnScanner
) -> None:
    task_id = verifying.stage(PICTURE)
    scan = Scan(Clamd(scanner.address, 10.0), 10**6)
    verifying.verify(scan, Says(Opinion(flags=("secrets",), evidence={"note": "fine"})))
    assert verifying.stands() == ("promoting", None)
    assert verifying.woken == [task_id]
    ((flags, evidence),) = verifying.rows(
        "SELECT t.flags, c.evidence FROM tasks t JOIN claims c USING (task_id, epoch)"
    )
    assert flags == ["secrets"]
    assert evidence["review"] == {"note": "fine"}
    assert evidence["scan"]["engine"].startswith("ClamAV")


def test_a_good_picture_with_malware_in_it_is_fetched_once_more_and_then_stops(
    verifying: Verifying, scanner: OwnScanner
) -> None:
    verifying.stage(INFECTED)
    scan = Scan(Clamd(scanner.address, 10.0), 10**6)
    verifying.verify(scan, HOLD)
    assert verifying.stands() == ("download_retry", "infected")
    verifying.stage_again(INFECTED)
    verifying.verify(scan, HOLD)
    assert verifying.stands() == ("needs_attention", "infected")
    found = verifying.rows("SELECT evidence ->> 'malware', evidence ->> 'hook' FROM claims WHERE stage = 'verify'")
    assert found == [(NAME, "scan")] * 2
    assert verifying.rows("SELECT count(*) FROM rejected") == [(2,)]


@pytest.mark.parametrize("reason", [Reason.SCANNER, Reason.REVIEWER])
def test_a_hook_that_is_away_leaves_the_task_as_it_is_and_its_lease_to_the_worker(
    verifying: Verifying, reason: Reason
) -> None:
    verifying.stage(PICTURE)
    with pytest.raises(Failure) as caught:
        verifying.verify(Says(Failure(reason, {"detail": "away"})))
    assert caught.value.reason is reason
    assert reason.is_ours
    assert verifying.stands()[0] == "verifying"
    assert verifying.rows("SELECT verifications, rejected_sha256, h2 FROM tasks") == [(0, None, None)]
    assert list(verifying.folder.glob("*.staged")) == []


def test_what_the_review_rejects_stops_at_once_and_its_bytes_are_marked(verifying: Verifying) -> None:
    verifying.stage(PICTURE)
    verifying.verify(Says(Failure(Reason.REVIEW_REJECTED, {"note": "no"})))
    assert verifying.stands() == ("needs_attention", "review_rejected")
    digest = hashlib.sha256(PICTURE).hexdigest()
    assert verifying.rows("SELECT sha256, reason FROM rejected") == [(digest, "review_rejected")]
    assert verifying.rows("SELECT announce_at IS NOT NULL FROM tasks") == [(True,)]


def test_one_that_is_held_keeps_its_proof_and_is_announced(verifying: Verifying) -> None:
    task_id = verifying.stage(PICTURE)
    verifying.verify(Says(Opinion(flags=("a",)), name="scan"), HOLD)
    assert verifying.stands() == ("needs_attention", "held_for_review")
    ((proven, flags, kind),) = verifying.rows("SELECT h1 = h2, flags, kind FROM tasks")
    assert (proven, flags, kind) == (True, ["a", "personal_data"], "image")
    ((outcome, evidence),) = verifying.rows("SELECT outcome, evidence FROM claims WHERE stage = 'verify'")
    assert (outcome, evidence["review"]) == ("held", {"note": "two faces"})
    assert verifying.woken == []
    (row,) = Results().due(verifying.as_role("promoter"))
    assert (row["task_id"], row["reason"]) == (task_id, "held_for_review")


@pytest.mark.parametrize("hold", [True, False])
def test_an_opinion_that_comes_after_the_lease_was_lost_changes_nothing(verifying: Verifying, hold: bool) -> None:
    class Slow(Says):
        def judge(self, subject: Subject) -> Opinion:
            verifying.as_role("verifier").run(
                "release", **subject.claim.token, reason=None, evidence={}, delay_seconds=0.0
            )
            taken(verifying.as_role("verifier"), Stage.VERIFY, worker="another")
            return super().judge(subject)

    verifying.stage(PICTURE)
    with pytest.raises(LeaseLost):
        verifying.verify(Slow(Opinion(hold=hold, flags=("late",))))
    assert verifying.rows("SELECT state, lease_worker, h2, flags FROM tasks") == [("verifying", "another", None, [])]


def test_flags_are_those_of_the_bytes_that_are_staged_now(verifying: Verifying) -> None:
    verifying.stage(PICTURE)
    verifying.verify(Says(Opinion(flags=("secrets",))))
    claim = taken(verifying.as_role("promoter"), Stage.PROMOTE)
    assert claim.flags == ["secrets"]
    assert verifying.as_role("promoter").run("staging_lost", **claim.token, reason="staging_lost", evidence={})
    verifying.stage_again(PICTURE)
    verifying.verify(Says(Opinion()))
    assert verifying.rows("SELECT flags FROM tasks") == [([],)]
