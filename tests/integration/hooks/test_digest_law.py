"""The digest law: only bytes that are those that arrived go on, and a proof is one of the bytes that lie there now."""

import hashlib
from uuid import UUID

from structlog.testing import capture_logs

from shared.errors import Failure
from shared.reasons import Reason
from shared.states import Stage
from shared.telemetry import metrics
from tests.integration.db.moves import taken
from tests.integration.hooks.verifying import Says, Verifying
from tests.media.pictures import picture

PICTURE = picture()


def flipped(data: bytes) -> bytes:
    """One bit of it is another one."""
    return data[:100] + bytes([data[100] ^ 1]) + data[101:]


def refusals(reason: Reason) -> float:
    found = metrics.REGISTER.registry.get_sample_value("outlast_verification_failures_total", {"reason": str(reason)})
    assert found is not None
    return found


def test_fault_73_one_bit_flipped_in_staging_is_loud_and_fetched_once_more_and_never_promoted(
    verifying: Verifying,
) -> None:
    before = refusals(Reason.STAGING_CORRUPT)
    verifying.stage(PICTURE, now=flipped(PICTURE))
    with capture_logs() as logged:
        verifying.verify()
    assert [(entry["log_level"], entry["reason"]) for entry in logged] == [("error", "staging_corrupt")]
    assert verifying.stands() == ("download_retry", "staging_corrupt")
    assert refusals(Reason.STAGING_CORRUPT) == before + 1
    verifying.stage_again(PICTURE, now=flipped(PICTURE))
    verifying.verify()
    assert verifying.stands() == ("needs_attention", "staging_corrupt")
    h1, h2 = (hashlib.sha256(data).hexdigest() for data in (PICTURE, flipped(PICTURE)))
    seen = verifying.rows("SELECT evidence FROM claims WHERE stage = 'verify'")
    assert seen == [({"h1": h1, "h2": h2},)] * 2
    assert verifying.rows("SELECT count(*) FROM history WHERE to_state = 'promoting'") == [(0,)]


def test_fault_73_bytes_that_arrive_well_the_second_time_are_proven(verifying: Verifying) -> None:
    task_id = verifying.stage(PICTURE, now=flipped(PICTURE))
    verifying.verify()
    verifying.stage_again(PICTURE)
    verifying.verify()
    assert (verifying.stands()[0], verifying.woken) == ("promoting", [task_id])


def test_fault_75_no_etag_decides_whether_staged_bytes_are_the_right_ones(verifying: Verifying) -> None:
    """One is the MD5 of the good bytes though others lie there; the other is of no bytes at all."""
    verifying.stage(PICTURE, now=flipped(PICTURE))
    set_etag(verifying, hashlib.md5(PICTURE).hexdigest())
    verifying.verify()
    assert verifying.stands() == ("download_retry", "staging_corrupt")
    verifying.stage_again(PICTURE)
    set_etag(verifying, f"{hashlib.md5(b'other').hexdigest()}-2")
    verifying.verify()
    assert verifying.stands()[0] == "promoting"


def set_etag(verifying: Verifying, etag: str) -> None:
    claim = taken(verifying.as_role("verifier"), Stage.VERIFY)
    assert verifying.as_role("verifier").run("release", **claim.token, reason=None, evidence={}, delay_seconds=0.0)
    verifying.write("outlast_verifier", f"UPDATE tasks SET staged_etag = '{etag}'")


def test_bytes_that_were_lost_after_their_proof_are_never_resumed_as_proven(verifying: Verifying) -> None:
    """An operator's retry goes through the scan again, though the very same bytes were proven before."""
    task_id: UUID = verifying.stage(PICTURE)
    verifying.verify()
    claim = taken(verifying.as_role("promoter"), Stage.PROMOTE)
    assert verifying.as_role("promoter").run("staging_lost", **claim.token, reason="staging_lost", evidence={})
    verifying.stage_again(PICTURE)
    verifying.verify(Says(Failure(Reason.INFECTED, {}), name="scan"))
    assert verifying.stands() == ("needs_attention", "infected")
    verifying.as_role("operator").run("operator_retry", task_id=task_id, why="a new database of signatures")
    assert verifying.stands()[0] == "verifying"
