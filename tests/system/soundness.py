"""What must hold of every capture that came through, whatever happened on its way."""

import json
from collections.abc import Mapping
from hashlib import sha256

from tests.system.conftest import System, until

ILLEGAL = """
SELECT task_id, act, from_state, to_state, role FROM (
    SELECT *, lag(to_state, 1, 'new') OVER (PARTITION BY task_id ORDER BY history_id) AS before FROM history) h
WHERE from_state <> before
   OR NOT EXISTS (SELECT FROM edges e WHERE (e.from_state, e.to_state, e.role) = (h.from_state, h.to_state, h.role))
"""


def until_announced(system: System, number: int) -> None:
    """Wait until so many tasks are complete and announced."""
    until(lambda: system.count("state = 'complete'") == number, f"all {number} are complete", 90)
    until(lambda: system.count("announced_at IS NOT NULL AND announce_at IS NULL") == number, "all are announced")


def check_sound(system: System, bodies: Mapping[str, bytes]) -> None:
    """Wait until these jobs are complete and announced; then each must be what it is, and nothing else be there."""
    until_announced(system, len(bodies))
    tasks = system.rows("SELECT job_id, durable_uri, h1, h2, h3, strikes, lease_id FROM tasks ORDER BY job_id")
    assert [task[0] for task in tasks] == sorted(bodies)
    for job, uri, *digests, strikes, lease in tasks:
        found = system.read(uri)
        assert found == bodies[job]
        assert {sha256(found).hexdigest(), *digests} == {digests[0]}
        assert (strikes, lease) == (0, None)
    _check_rows(system, len(bodies))
    _check_objects(system, [uri for _, uri, *_ in tasks])
    told = [json.loads(body)["id"] for _, body in system.messages("outlast.results")]
    assert set(told) == {str(task_id) for (task_id,) in system.rows("SELECT task_id FROM tasks")}


def _check_rows(system: System, number: int) -> None:
    assert system.rows(ILLEGAL) == []
    assert system.rows("SELECT count(*), count(durable_at) FROM assets") == [(number, number)]
    assert system.rows("SELECT count(*) FROM sources") == [(0,)], "no link outlives its capture"
    assert system.rows("SELECT count(*) FROM redeliveries") == [(0,)]
    assert system.rows("SELECT count(*) FROM claims WHERE outcome IS NULL") == [(0,)]
    done = dict(system.rows("SELECT outcome, count(*) FROM claims GROUP BY outcome"))
    assert done["proven"] == done["complete"] == number, "each act counted once"
    assert done["staged"] == number + done.get("rejected", 0), "and what was refused was fetched once more"


def _check_objects(system: System, uris: list[str]) -> None:
    keys = sorted(uri.split("/", 3)[3] for uri in uris)
    assert sorted(system.objects(system.assets)) == sorted([*keys, *(f"{key}.outlast.json" for key in keys)])
    claims = {
        f"staging/{task}/{epoch}-{lease}"
        for task, epoch, lease in system.rows("SELECT task_id, epoch, lease_id FROM claims")
    }
    assert set(system.objects(system.staging)) <= claims, "all staged bytes are some claim's"
