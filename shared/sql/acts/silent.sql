-- silent: stops waiting for jobs that nobody reported in time, and for objects whose envelope did not come.
WITH late AS (
    SELECT task_id, state,
           CASE processor_version WHEN '' THEN 'no_envelope' ELSE 'provider_silent' END AS reason
    FROM tasks
    WHERE state = 'generating' AND lease_id IS NULL
      AND ready_at <= statement_timestamp() - make_interval(secs => %(envelope_seconds)s)
      AND (processor_version = ''
           OR ready_at <= statement_timestamp() - make_interval(secs => %(generation_seconds)s))
    ORDER BY ready_at LIMIT 100
    FOR UPDATE SKIP LOCKED
), stopped AS (
    UPDATE tasks t
    SET state = 'needs_attention', reason = late.reason, wake_at = NULL, announce_at = statement_timestamp()
    FROM late WHERE t.task_id = late.task_id
    RETURNING t.task_id, late.state AS was, t.state, t.epoch, t.reason
), noted AS (
    INSERT INTO history (task_id, act, from_state, to_state, epoch, reason, detail)
    SELECT stopped.task_id, 'silent', was, state, epoch, reason,
           CASE WHEN j.asked > 0 THEN jsonb_strip_nulls(jsonb_build_object(
               'asked', j.asked, 'last_asked_at', j.asked_at, 'last_word', j.last_word, 'last_reason', j.last_reason)) END
    FROM stopped LEFT JOIN jobs j ON j.job_key = stopped.task_id
)
SELECT task_id, reason FROM stopped;
