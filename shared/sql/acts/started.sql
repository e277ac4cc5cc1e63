-- started: records that a provider works on a job, and makes its placeholder, or tells a known output what it lacks.
WITH known AS (
    SELECT task_id, state FROM tasks
    WHERE job_id = %(job_id)s AND account = %(account)s AND provider = %(provider)s
      AND provider_account = %(provider_account)s AND object IS NULL
    ORDER BY accepted_at, task_id LIMIT 1
), fresh AS (
    INSERT INTO events (account, source, event_id, type, body_sha256, task_id, subject_id)
    SELECT %(account)s, %(source)s, %(event_id)s, %(event_type)s, %(body_sha256)s,
           coalesce((SELECT task_id FROM known), %(task_id)s), %(task_id)s
    ON CONFLICT (account, source, event_id) DO NOTHING
    RETURNING task_id
), recorded AS (
    SELECT type = %(event_type)s AND coalesce(subject_id, task_id) = %(task_id)s AS same FROM events
    WHERE account = %(account)s AND source = %(source)s AND event_id = %(event_id)s
), born AS (
    INSERT INTO tasks (
        task_id, download_key, account, provider, provider_account, job_id, output_id, operation_id, attempt_id,
        variant, retention_class, display_name, promised_kind, expected, processor_version, provenance, derived_from,
        traceparent, state, source_lane, urgency, ready_at)
    SELECT %(task_id)s, %(download_key)s, %(account)s, %(provider)s, %(provider_account)s, %(job_id)s, '',
           coalesce(%(operation_id)s::text, %(job_id)s), coalesce(%(attempt_id)s::text, '1'), %(variant)s,
           coalesce(%(retention_class)s::text, 'original'), %(display_name)s, %(promised_kind)s,
           coalesce(%(expected)s::jsonb, '{}'), coalesce(%(processor_version)s::text, 'none'),
           coalesce(%(provenance)s::jsonb, '{}'), coalesce(%(derived_from)s::uuid[], '{}'),
           %(traceparent)s, 'generating', %(lane)s, %(started_at)s, %(started_at)s
    FROM fresh
    WHERE NOT EXISTS (SELECT FROM known)
    RETURNING task_id, state
), told AS (
    -- It came late: the first output gets what it did not say itself, while nothing was made of its bytes yet.
    UPDATE tasks t
    SET operation_id = CASE t.operation_id WHEN t.job_id THEN coalesce(%(operation_id)s::text, t.job_id)
                                           ELSE t.operation_id END,
        attempt_id = CASE t.attempt_id WHEN '1' THEN coalesce(%(attempt_id)s::text, '1') ELSE t.attempt_id END,
        variant = coalesce(t.variant, %(variant)s::text),
        retention_class = CASE t.retention_class WHEN 'original' THEN coalesce(%(retention_class)s::text, 'original')
                                                 ELSE t.retention_class END,
        display_name = coalesce(t.display_name, %(display_name)s::text),
        promised_kind = coalesce(t.promised_kind, %(promised_kind)s::text),
        expected = coalesce(%(expected)s::jsonb, '{}') || t.expected,
        provenance = CASE t.provenance WHEN '{}' THEN coalesce(%(provenance)s::jsonb, '{}') ELSE t.provenance END,
        derived_from = CASE t.derived_from WHEN '{}' THEN coalesce(%(derived_from)s::uuid[], '{}')
                                           ELSE t.derived_from END
    FROM fresh, known
    WHERE t.task_id = known.task_id AND t.output_id <> ''
      AND t.state IN ('output_ready', 'downloading', 'download_retry')
), noted AS (
    INSERT INTO history (task_id, act, from_state, to_state, epoch)
    SELECT task_id, 'started', 'new', state, 0 FROM born
)
SELECT CASE WHEN EXISTS (SELECT FROM fresh) THEN 'accepted'
            WHEN (SELECT same FROM recorded) THEN 'duplicate'
            WHEN EXISTS (SELECT FROM recorded) THEN 'id_conflict' END AS outcome,
       coalesce((SELECT task_id FROM known), %(task_id)s) AS task_id,
       coalesce((SELECT state FROM born), (SELECT state FROM known)) AS state;
