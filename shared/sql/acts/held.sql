-- held: records the proof of an output that a person must look at first; released, it goes to the promoter as it is.
WITH moved AS (
    UPDATE tasks t
    SET state = 'needs_attention', reason = %(reason)s, announce_at = statement_timestamp(), wake_at = NULL,
        lease_id = NULL, lease_worker = NULL, leased_at = NULL, strikes = 0,
        h2 = %(sha256)s, kind = %(kind)s, facts = %(facts)s, verifier_version = %(verifier_version)s,
        flags = %(flags)s::text[], verified_at = statement_timestamp()
    WHERE t.task_id = %(task_id)s AND t.state = %(from_state)s AND t.lease_id = %(lease_id)s AND t.epoch = %(epoch)s
    RETURNING t.task_id, t.state, t.epoch
), closed AS (
    UPDATE claims c
    SET ended_at = statement_timestamp(), outcome = 'held', reason = %(reason)s, evidence = %(evidence)s
    FROM moved WHERE c.task_id = moved.task_id AND c.epoch = moved.epoch
)
INSERT INTO history (task_id, act, from_state, to_state, epoch, reason)
SELECT task_id, 'held', %(from_state)s, state, epoch, %(reason)s FROM moved
RETURNING task_id;
