-- noticed: records an object that its store told of; it waits for its envelope, unless that was here before.
WITH known AS (
    SELECT t.task_id, t.state FROM tasks t WHERE t.task_id = task_of_object(%(account)s, %(object)s::jsonb, NULL)
), fresh AS (
    INSERT INTO events (account, source, event_id, type, body_sha256, task_id, subject_id)
    SELECT %(account)s, %(source)s, %(event_id)s, %(event_type)s, %(body_sha256)s,
           coalesce((SELECT task_id FROM known), %(task_id)s), %(task_id)s
    ON CONFLICT (account, source, event_id) DO NOTHING
    RETURNING task_id
), born AS (
    INSERT INTO tasks (
        task_id, download_key, account, provider, provider_account, job_id, output_id, operation_id, attempt_id,
        processor_version, object, state, source_lane, urgency, ready_at)
    SELECT %(task_id)s, %(download_key)s, %(account)s, %(provider)s, %(provider_account)s, %(job_id)s, %(output_id)s,
           %(job_id)s, '1', '', %(object)s::jsonb, 'generating', %(lane)s, statement_timestamp(), statement_timestamp()
    FROM fresh
    WHERE NOT EXISTS (SELECT FROM known)
    RETURNING task_id, state
), pinned AS (
    -- The envelope knew the ETag alone; by its version the object is found also after it was overwritten.
    UPDATE tasks t
    SET object = t.object || %(object)s::jsonb, sources_added = t.sources_added + 1
    FROM fresh, known
    WHERE t.task_id = known.task_id AND t.state IN ('output_ready', 'downloading', 'download_retry')
      AND %(object)s::jsonb ? 'version_id' AND NOT t.object ? 'version_id'
    RETURNING t.task_id, t.object
), sourced AS (
    INSERT INTO sources (source_id, task_id, object, host, path_sha256, expires_from, confidence)
    SELECT %(source_id)s, task_id, object, %(host)s, %(path_sha256)s, 'none', %(confidence)s FROM pinned
), noted AS (
    INSERT INTO history (task_id, act, from_state, to_state, epoch)
    SELECT task_id, 'noticed', 'new', state, 0 FROM born
)
SELECT CASE WHEN EXISTS (SELECT FROM fresh) THEN 'accepted' ELSE 'duplicate' END AS outcome,
       coalesce((SELECT task_id FROM known), %(task_id)s) AS task_id,
       coalesce((SELECT state FROM born), (SELECT state FROM known)) AS state;
