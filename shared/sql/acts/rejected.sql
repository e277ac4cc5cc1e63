-- rejected: sends a task whose staged bytes were refused back for one more transfer; the bytes stay where they are, marked.
WITH staged AS (
    SELECT t.task_id, t.account, t.staged_bucket, t.staged_key, t.staged_version, t.staged_size, t.h1
    FROM tasks t
    WHERE t.task_id = %(task_id)s AND t.state = %(from_state)s AND t.lease_id = %(lease_id)s AND t.epoch = %(epoch)s
    FOR UPDATE
), moved AS (
    UPDATE tasks t
    SET state = 'download_retry', reason = %(reason)s, wake_at = NULL,
        lease_id = NULL, lease_worker = NULL, leased_at = NULL, strikes = 0,
        verifications = t.verifications + 1, rejected_sha256 = t.h1, rejected_reason = %(reason)s,
        staged_bucket = NULL, staged_key = NULL, staged_version = NULL, staged_etag = NULL, staged_size = NULL,
        h1 = NULL, staged_at = NULL
    FROM staged WHERE t.task_id = staged.task_id
    RETURNING t.task_id, t.state, t.epoch
), marked AS (
    INSERT INTO rejected (task_id, epoch, account, bucket, key, version_id, size, sha256, reason, keep_until)
    SELECT task_id, moved.epoch, account, staged_bucket, staged_key, staged_version, staged_size, h1, %(reason)s,
           statement_timestamp() + make_interval(secs => %(keep_seconds)s::float8)
    FROM staged JOIN moved USING (task_id)
    -- Sent on by an operator and refused again: the same object.
    ON CONFLICT (bucket, key) DO UPDATE
        SET epoch = excluded.epoch, reason = excluded.reason, rejected_at = excluded.rejected_at,
            keep_until = excluded.keep_until
), closed AS (
    UPDATE claims c
    SET ended_at = statement_timestamp(), outcome = 'rejected', reason = %(reason)s, evidence = %(evidence)s
    FROM moved WHERE c.task_id = moved.task_id AND c.epoch = moved.epoch
)
INSERT INTO history (task_id, act, from_state, to_state, epoch, reason)
SELECT task_id, 'rejected', %(from_state)s, state, epoch, %(reason)s FROM moved
RETURNING task_id;
