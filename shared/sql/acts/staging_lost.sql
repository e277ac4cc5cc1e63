-- staging_lost: sends a task whose staged object is gone back for one more transfer.
WITH moved AS (
    UPDATE tasks t
    SET state = 'download_retry', reason = %(reason)s, wake_at = NULL,
        lease_id = NULL, lease_worker = NULL, leased_at = NULL, strikes = 0, verifications = t.verifications + 1,
        staged_bucket = NULL, staged_key = NULL, staged_version = NULL, staged_etag = NULL, staged_size = NULL,
        h1 = NULL, staged_at = NULL
    WHERE t.task_id = %(task_id)s AND t.state = %(from_state)s AND t.lease_id = %(lease_id)s AND t.epoch = %(epoch)s
    RETURNING t.task_id, t.state, t.epoch
), closed AS (
    UPDATE claims c
    SET ended_at = statement_timestamp(), outcome = 'staging_lost', reason = %(reason)s, evidence = %(evidence)s
    FROM moved WHERE c.task_id = moved.task_id AND c.epoch = moved.epoch
)
INSERT INTO history (task_id, act, from_state, to_state, epoch, reason)
SELECT task_id, 'staging_lost', %(from_state)s, state, epoch, %(reason)s FROM moved
RETURNING task_id;
