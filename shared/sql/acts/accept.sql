-- accept: records an event once, and makes or renews the task it reports, with its sealed source.
WITH fresh AS (
    INSERT INTO events (account, source, event_id, body_sha256, task_id)
    VALUES (%(account)s, %(source)s, %(event_id)s, %(body_sha256)s, %(task_id)s)
    ON CONFLICT (account, source, event_id) DO NOTHING
    RETURNING task_id
), recorded AS (
    SELECT task_id FROM events
    WHERE account = %(account)s AND source = %(source)s AND event_id = %(event_id)s
), before AS (
    SELECT task_id, state, staged_key FROM tasks WHERE task_id = %(task_id)s
), estimate AS (
    SELECT coalesce(
        %(deadline)s::timestamptz,
        %(url_expires_at)s::timestamptz,
        %(ready_at)s::timestamptz + least(
            interval '1 hour',
            -- One odd link must not push every unknown life of its provider to the front or past its end.
            greatest(interval '60 seconds', make_interval(
                secs => (SELECT shortest_seconds FROM lives WHERE provider = %(provider)s))))) AS urgency
), lane AS (
    INSERT INTO lanes (stage, lane) SELECT 'download', %(lane)s FROM fresh ON CONFLICT DO NOTHING
), life AS (
    INSERT INTO lives (provider, shortest_seconds)
    SELECT %(provider)s, %(life_seconds)s::float8 FROM fresh
    WHERE %(life_seconds)s::float8 > 0
      AND NOT EXISTS (SELECT FROM lives WHERE provider = %(provider)s AND shortest_seconds <= %(life_seconds)s::float8)
    ON CONFLICT (provider) DO UPDATE
        SET shortest_seconds = least(lives.shortest_seconds, excluded.shortest_seconds), seen_at = statement_timestamp()
), born AS (
    INSERT INTO tasks (
        task_id, download_key, account, provider, provider_account, job_id, output_id, operation_id, attempt_id,
        variant, retention_class, display_name, promised_kind, expected, traceparent,
        state, source_lane, urgency, ready_at, url_expires_at, deadline)
    SELECT %(task_id)s, %(download_key)s, %(account)s, %(provider)s, %(provider_account)s, %(job_id)s, %(output_id)s,
           %(operation_id)s, %(attempt_id)s, %(variant)s, %(retention_class)s, %(display_name)s, %(promised_kind)s,
           %(expected)s, %(traceparent)s,
           'output_ready', %(lane)s, estimate.urgency, %(ready_at)s, %(url_expires_at)s, %(deadline)s
    FROM fresh, estimate
    WHERE NOT EXISTS (SELECT FROM before)
    RETURNING task_id, state
), renewed AS (
    UPDATE tasks t
    SET sources_added = t.sources_added + CASE WHEN %(sealed)s::bytea IS NULL THEN 0 ELSE 1 END,
        url_expires_at = greatest(t.url_expires_at, %(url_expires_at)s::timestamptz),
        deadline = greatest(t.deadline, %(deadline)s::timestamptz),
        urgency = greatest(t.urgency, estimate.urgency),
        source_lane = %(lane)s,
        wake_at = CASE WHEN t.lease_id IS NULL THEN NULL ELSE t.wake_at END
    FROM fresh, before, estimate
    WHERE t.task_id = before.task_id AND t.state IN ('output_ready', 'downloading', 'download_retry')
    RETURNING t.task_id, t.state
), reopened AS (
    UPDATE tasks t
    SET state = 'output_ready', reason = NULL, wake_at = NULL, announce_at = NULL,
        tries = 0, refreshes = 0, verifications = 0, strikes = 0,
        unproven_sha256 = NULL, rejected_sha256 = NULL, rejected_reason = NULL,
        url_expires_at = %(url_expires_at)s, deadline = %(deadline)s, urgency = estimate.urgency,
        source_lane = %(lane)s
    FROM fresh, before, estimate
    WHERE t.task_id = before.task_id AND t.state = before.state
      AND t.state IN ('needs_attention', 'abandoned') AND t.staged_key IS NULL AND %(sealed)s::bytea IS NOT NULL
    RETURNING t.task_id, t.state, before.state AS was, t.epoch
), repeated AS (
    UPDATE tasks t SET announce_at = statement_timestamp()
    FROM before
    WHERE t.task_id = before.task_id AND t.state = before.state
      AND (t.state = 'complete'
           OR (t.state = 'needs_attention'
               AND (t.staged_key IS NOT NULL OR %(sealed)s::bytea IS NULL OR NOT EXISTS (SELECT FROM fresh))))
    RETURNING t.task_id, t.state
), sourced AS (
    INSERT INTO sources (
        source_id, task_id, sealed, host, path_sha256, issued_at, expires_at, expires_from, confidence)
    SELECT %(source_id)s, %(task_id)s, %(sealed)s, %(host)s, %(path_sha256)s, %(issued_at)s, %(url_expires_at)s,
           %(expires_from)s, %(confidence)s
    FROM fresh
    WHERE %(sealed)s::bytea IS NOT NULL AND NOT EXISTS (SELECT FROM before WHERE state = 'complete')
), noted AS (
    INSERT INTO history (task_id, act, from_state, to_state, epoch)
    SELECT task_id, 'accept', 'new', state, 0 FROM born
    UNION ALL
    SELECT task_id, 'reopen', was, state, epoch FROM reopened
)
SELECT CASE WHEN EXISTS (SELECT FROM fresh) THEN 'accepted'
            WHEN (SELECT task_id FROM recorded) = %(task_id)s THEN 'duplicate'
            WHEN EXISTS (SELECT FROM recorded) THEN 'id_conflict' END AS outcome,
       coalesce((SELECT state FROM born), (SELECT state FROM reopened), (SELECT state FROM before)) AS state;
