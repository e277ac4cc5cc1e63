-- unproven: ends a transfer whose body nothing proves to be whole; a second one is due, to be compared with it.
WITH moved AS (
    UPDATE tasks t
    SET state = 'download_retry', reason = %(reason)s, wake_at = NULL,
        lease_id = NULL, lease_worker = NULL, leased_at = NULL, strikes = 0, unproven_sha256 = %(sha256)s
    WHERE t.task_id = %(task_id)s AND t.state = %(from_state)s AND t.lease_id = %(lease_id)s AND t.epoch = %(epoch)s
    RETURNING t.task_id, t.state, t.epoch
), closed AS (
    UPDATE claims c
    SET ended_at = statement_timestamp(), outcome = 'unproven', reason = %(reason)s, evidence = %(evidence)s
    FROM moved WHERE c.task_id = moved.task_id AND c.epoch = moved.epoch
)
INSERT INTO history (task_id, act, from_state, to_state, epoch, reason)
SELECT task_id, 'unproven', %(from_state)s, state, epoch, %(reason)s FROM moved
RETURNING task_id;
