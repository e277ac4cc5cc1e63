-- refused: stops a task whose staged bytes were refused for good; the bytes stay where they are, marked.
WITH moved AS (
    UPDATE tasks t
    SET state = 'needs_attention', announce_at = statement_timestamp(), reason = %(reason)s, wake_at = NULL,
        lease_id = NULL, lease_worker = NULL, leased_at = NULL, strikes = 0
    WHERE t.task_id = %(task_id)s AND t.state = %(from_state)s AND t.lease_id = %(lease_id)s AND t.epoch = %(epoch)s
    RETURNING t.task_id, t.state, t.epoch, t.account, t.staged_bucket, t.staged_key, t.staged_version, t.staged_size, t.h1
), marked AS (
    INSERT INTO rejected (task_id, epoch, account, bucket, key, version_id, size, sha256, reason, keep_until)
    SELECT task_id, epoch, account, staged_bucket, staged_key, staged_version, staged_size, h1, %(reason)s,
           statement_timestamp() + make_interval(secs => %(keep_seconds)s::float8)
    FROM moved
    -- Sent on by an operator and refused again: the same object.
    ON CONFLICT (bucket, key) DO UPDATE
        SET epoch = excluded.epoch, reason = excluded.reason, rejected_at = excluded.rejected_at,
            keep_until = excluded.keep_until
), closed AS (
    UPDATE claims c
    SET ended_at = statement_timestamp(), outcome = 'refused', reason = %(reason)s, evidence = %(evidence)s
    FROM moved WHERE c.task_id = moved.task_id AND c.epoch = moved.epoch
)
INSERT INTO history (task_id, act, from_state, to_state, epoch, reason)
SELECT task_id, 'refused', %(from_state)s, state, epoch, %(reason)s FROM moved
RETURNING task_id;
