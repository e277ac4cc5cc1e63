-- operator_retry: sends a task that needs attention on, at the last stage whose bytes still exist; has its job asked for.
WITH stopped AS (
    SELECT task_id, output_id = '' AS is_placeholder,
           EXISTS (SELECT FROM rejected r
                   WHERE r.bucket = staged_bucket AND r.key = staged_key AND r.purging_at IS NOT NULL)
           OR EXISTS (SELECT FROM swept s WHERE s.task_id = tasks.task_id AND s.key = staged_key) AS is_purged
    FROM tasks
    WHERE task_id = %(task_id)s AND state = 'needs_attention' AND reason <> 'held_for_review'
    FOR UPDATE
), moved AS (
    UPDATE tasks t
    SET state = CASE WHEN stopped.is_placeholder THEN 'generating'
                     -- A proof is one of the bytes that are staged now, not of equal ones that were lost.
                     WHEN stopped.is_purged THEN 'output_ready'
                     WHEN t.h2 = t.h1 AND t.verified_at >= t.staged_at AND t.staged_key IS NOT NULL THEN 'promoting'
                     WHEN t.staged_key IS NOT NULL THEN 'verifying'
                     ELSE 'output_ready' END,
        reason = NULL, wake_at = NULL, announce_at = NULL,
        tries = 0, refreshes = 0, verifications = 0, placements = 0, strikes = 0,
        unproven_sha256 = NULL,
        -- A placeholder begins to wait anew.
        ready_at = CASE WHEN stopped.is_placeholder THEN statement_timestamp() ELSE t.ready_at END
    FROM stopped WHERE t.task_id = stopped.task_id
    RETURNING t.task_id, t.state, t.epoch
), asked_for AS (
    UPDATE jobs j
    SET due_at = statement_timestamp(), reported_at = NULL, troubles = 0, unknown = 0, unknown_since = NULL
    FROM stopped WHERE stopped.is_placeholder AND j.job_key = stopped.task_id
), noted AS (
    INSERT INTO history (task_id, act, from_state, to_state, epoch, reason)
    SELECT task_id, 'operator_retry', 'needs_attention', state, epoch, %(why)s FROM moved
)
SELECT m.state,
       EXISTS (SELECT FROM sources s WHERE s.task_id = m.task_id AND s.observed_expired_at IS NULL
               AND (s.expires_at IS NULL OR s.expires_at > statement_timestamp())) AS has_source
FROM moved m;
