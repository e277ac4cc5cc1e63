-- staged: records that the bytes are in staging, with their size and digest H1, and hands the task to the verifier.
WITH moved AS (
    UPDATE tasks t
    SET state = 'verifying', reason = NULL, wake_at = NULL,
        lease_id = NULL, lease_worker = NULL, leased_at = NULL, strikes = 0,
        staged_bucket = %(bucket)s, staged_key = %(key)s, staged_version = %(version_id)s, staged_etag = %(etag)s,
        staged_size = %(size)s, h1 = %(sha256)s, declared_type = %(declared_type)s, staged_at = statement_timestamp()
    WHERE t.task_id = %(task_id)s AND t.state = %(from_state)s AND t.lease_id = %(lease_id)s AND t.epoch = %(epoch)s
    RETURNING t.task_id, t.state, t.epoch
), closed AS (
    UPDATE claims c
    SET ended_at = statement_timestamp(), outcome = 'staged', evidence = %(evidence)s, staging_key = %(key)s
    FROM moved WHERE c.task_id = moved.task_id AND c.epoch = moved.epoch
)
INSERT INTO history (task_id, act, from_state, to_state, epoch)
SELECT task_id, 'staged', %(from_state)s, state, epoch FROM moved
RETURNING task_id;
