-- failed: records that a job or an output of it failed: closes what has no bytes to come, else notes the conflict.
WITH found AS (
    SELECT t.task_id, t.state, t.epoch, t.output_id = '' AS placeholder FROM tasks t
    WHERE t.task_id = coalesce(
        (SELECT known.task_id FROM tasks known WHERE known.task_id = task_of(%(subject_id)s)),
        job_placeholder(%(placeholder_id)s),
        -- A failure of the whole job is told to its first output.
        (SELECT of_job.task_id FROM tasks of_job
         WHERE %(output_id)s::text IS NULL AND of_job.job_id = %(job_id)s AND of_job.account = %(account)s
           AND of_job.provider = %(provider)s AND of_job.provider_account = %(provider_account)s
           AND of_job.object IS NULL
         ORDER BY of_job.accepted_at, of_job.task_id LIMIT 1))
), fresh AS (
    INSERT INTO events (account, source, event_id, type, body_sha256, task_id, subject_id)
    SELECT %(account)s, %(source)s, %(event_id)s, %(event_type)s, %(body_sha256)s,
           coalesce((SELECT task_id FROM found), %(subject_id)s), %(subject_id)s
    ON CONFLICT (account, source, event_id) DO NOTHING
    RETURNING task_id
), recorded AS (
    SELECT type = %(event_type)s AND coalesce(subject_id, task_id) = %(subject_id)s AS same FROM events
    WHERE account = %(account)s AND source = %(source)s AND event_id = %(event_id)s
), born AS (
    INSERT INTO tasks (
        task_id, download_key, account, provider, provider_account, job_id, output_id, operation_id, attempt_id,
        traceparent, state, reason, source_lane, urgency, ready_at)
    SELECT %(subject_id)s, %(download_key)s, %(account)s, %(provider)s, %(provider_account)s, %(job_id)s,
           coalesce(%(output_id)s::text, ''), %(job_id)s, '1', %(traceparent)s,
           'abandoned', %(reason)s, %(lane)s, %(failed_at)s, %(failed_at)s
    FROM fresh
    WHERE NOT EXISTS (SELECT FROM found)
    RETURNING task_id, state
), closed AS (
    -- One that had fallen silent stays with the people who were told, now with the provider's word.
    UPDATE tasks t
    SET state = CASE t.state WHEN 'generating' THEN 'abandoned' ELSE t.state END,
        reason = %(reason)s, output_id = coalesce(%(output_id)s::text, t.output_id),
        wake_at = NULL, lease_id = NULL, lease_worker = NULL, leased_at = NULL,
        announce_at = CASE t.state WHEN 'generating' THEN NULL ELSE statement_timestamp() END
    FROM fresh, found
    WHERE t.task_id = found.task_id AND t.state = found.state AND found.placeholder
      AND t.state IN ('generating', 'needs_attention')
    RETURNING t.task_id, t.state, found.state AS was, t.epoch
), aliased AS (
    INSERT INTO aliases (alias_id, task_id)
    SELECT %(subject_id)s, task_id FROM closed WHERE task_id <> %(subject_id)s
    ON CONFLICT DO NOTHING
), noted AS (
    INSERT INTO history (task_id, act, from_state, to_state, epoch, reason, detail)
    SELECT task_id, 'failed', 'new', state, 0, %(reason)s, %(detail)s::jsonb FROM born
    UNION ALL
    SELECT task_id, 'failed', was, state, epoch, %(reason)s, %(detail)s FROM closed
    UNION ALL
    SELECT found.task_id, 'conflict', found.state, found.state, found.epoch, %(reason)s, %(detail)s
    FROM fresh, found WHERE found.state <> 'abandoned' AND NOT EXISTS (SELECT FROM closed)
)
SELECT CASE WHEN EXISTS (SELECT FROM fresh) THEN 'accepted'
            WHEN (SELECT same FROM recorded) THEN 'duplicate'
            WHEN EXISTS (SELECT FROM recorded) THEN 'id_conflict' END AS outcome,
       coalesce((SELECT task_id FROM found), %(subject_id)s) AS task_id,
       coalesce((SELECT state FROM born), (SELECT state FROM closed), (SELECT state FROM found)) AS state;
