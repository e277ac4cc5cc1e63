-- wake: makes due retries claimable, and ends leases that lapsed; a third lapse in a row is poison.
WITH due AS (
    SELECT task_id, state, lease_id, strikes FROM tasks
    WHERE stage = %(stage)s AND wake_at <= statement_timestamp()
      AND (lease_id IS NULL OR pg_postmaster_start_time() < statement_timestamp() - interval '30 seconds')
    ORDER BY wake_at LIMIT 100
    FOR UPDATE SKIP LOCKED
), woken AS (
    UPDATE tasks t
    SET state = CASE
            WHEN due.lease_id IS NOT NULL AND due.strikes >= 2 THEN 'needs_attention'
            WHEN due.state = 'downloading' THEN 'download_retry'
            ELSE due.state END,
        reason = CASE WHEN due.lease_id IS NOT NULL AND due.strikes >= 2 THEN 'poisoned' ELSE t.reason END,
        announce_at = CASE WHEN due.lease_id IS NOT NULL AND due.strikes >= 2
                           THEN statement_timestamp() ELSE t.announce_at END,
        strikes = due.strikes + CASE WHEN due.lease_id IS NULL THEN 0 ELSE 1 END,
        wake_at = NULL, lease_id = NULL, lease_worker = NULL, leased_at = NULL
    FROM due WHERE t.task_id = due.task_id
    RETURNING t.task_id, due.state AS was, t.state, t.epoch, due.lease_id, t.strikes
), closed AS (
    UPDATE claims c SET ended_at = statement_timestamp(), outcome = 'lapsed'
    FROM woken WHERE woken.lease_id IS NOT NULL AND c.task_id = woken.task_id AND c.epoch = woken.epoch
), noted AS (
    INSERT INTO history (task_id, act, from_state, to_state, epoch, reason)
    SELECT task_id, CASE WHEN lease_id IS NULL THEN 'wake' ELSE 'lapse' END, was, state, epoch,
           CASE WHEN state = 'needs_attention' THEN 'poisoned' END
    FROM woken
)
SELECT task_id, state, lease_id IS NOT NULL AS lapsed, strikes FROM woken;
