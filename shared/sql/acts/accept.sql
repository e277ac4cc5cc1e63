-- accept: records an event once, and makes or renews the task it reports, with its sealed link or its object.
WITH found AS (
    SELECT t.task_id, t.state, t.reason, t.staged_key, t.object, t.epoch,
           t.output_id = '' OR t.processor_version = '' AS placeholder
    FROM tasks t
    WHERE t.task_id = coalesce(
        (SELECT known.task_id FROM tasks known WHERE known.task_id = task_of(%(subject_id)s)),
        task_of_object(%(account)s, %(object)s::jsonb, coalesce(%(processor_version)s::text, 'none')),
        job_placeholder(%(placeholder_id)s::uuid),
        task_of_object(%(account)s, %(object)s::jsonb, ''))
), fresh AS (
    -- A link is sealed for one row: where another row stands for the output by now, only that is told.
    INSERT INTO events (account, source, event_id, type, body_sha256, task_id, subject_id)
    SELECT %(account)s, %(source)s, %(event_id)s, %(event_type)s, %(body_sha256)s, %(task_id)s, %(subject_id)s
    WHERE coalesce((SELECT task_id FROM found), %(subject_id)s) = %(task_id)s
    ON CONFLICT (account, source, event_id) DO NOTHING
    RETURNING task_id
), recorded AS (
    SELECT type = %(event_type)s AND coalesce(subject_id, task_id) = %(subject_id)s AS same FROM events
    WHERE account = %(account)s AND source = %(source)s AND event_id = %(event_id)s
), heard AS (
    SELECT CASE WHEN EXISTS (SELECT FROM fresh) THEN 'accepted'
                WHEN (SELECT same FROM recorded) THEN 'duplicate'
                WHEN EXISTS (SELECT FROM recorded) THEN 'id_conflict'
                WHEN coalesce((SELECT task_id FROM found), %(subject_id)s) <> %(task_id)s THEN 'elsewhere'
                END AS outcome
), told AS (
    SELECT num_nonnulls(%(sealed)s::bytea, %(object)s::jsonb) > 0 AS has_source
), next AS (
    SELECT found.*, found.state IN ('generating', 'needs_attention', 'abandoned') AS opens FROM fresh, told, found
    WHERE found.state IN ('generating', 'output_ready', 'downloading', 'download_retry')
       OR (found.state = 'needs_attention' AND found.staged_key IS NULL AND (found.placeholder OR told.has_source))
       OR (found.state = 'abandoned' AND found.reason IN ('provider_failed', 'provider_filtered'))
), estimate AS (
    SELECT CASE
        WHEN %(life_is_sure)s THEN coalesce(%(deadline)s::timestamptz, %(url_expires_at)s::timestamptz)
        ELSE least(%(deadline)s::timestamptz, %(url_expires_at)s::timestamptz,
                   %(ready_at)s::timestamptz + guessed_life(%(counted_as)s)) END AS urgency
), kin AS (
    -- A provider's report tells of outputs alone: further ones take what was said of the job from its first row.
    SELECT operation_id, attempt_id, variant, retention_class, display_name, promised_kind, processor_version, provenance,
           derived_from, expected - 'size' - 'sha256' AS expected
    FROM tasks WHERE task_id = %(kin_id)s::uuid
), lane AS (
    INSERT INTO lanes (stage, lane) SELECT 'download', %(lane)s FROM fresh ON CONFLICT DO NOTHING
), life AS MATERIALIZED (
    SELECT count_life(%(counted_as)s, %(life_seconds)s::float8) FROM fresh WHERE %(life_seconds)s::float8 > 0
), born AS (
    INSERT INTO tasks (
        task_id, download_key, account, provider, provider_account, job_id, output_id, operation_id, attempt_id,
        variant, retention_class, display_name, promised_kind, expected, processor_version, provenance, derived_from,
        object, traceparent,
        state, source_lane, urgency, ready_at, url_expires_at, deadline)
    SELECT %(task_id)s, %(download_key)s, %(account)s, %(provider)s, %(provider_account)s, %(job_id)s, %(output_id)s,
           coalesce(%(operation_id)s::text, kin.operation_id, %(job_id)s),
           coalesce(%(attempt_id)s::text, kin.attempt_id, '1'), coalesce(%(variant)s::text, kin.variant),
           coalesce(%(retention_class)s::text, kin.retention_class, 'original'),
           coalesce(%(display_name)s::text, kin.display_name), coalesce(%(promised_kind)s::text, kin.promised_kind),
           coalesce(%(expected)s::jsonb, kin.expected, '{}'),
           coalesce(%(processor_version)s::text, kin.processor_version, 'none'),
           jsonb_strip_nulls(jsonb_build_object('model', %(model)s::text))
               || coalesce(%(provenance)s::jsonb, kin.provenance, '{}'),
           coalesce(%(derived_from)s::uuid[], kin.derived_from, '{}'), %(object)s::jsonb, %(traceparent)s,
           'output_ready', %(lane)s, estimate.urgency, %(ready_at)s, %(url_expires_at)s, %(deadline)s
    FROM estimate CROSS JOIN fresh LEFT JOIN kin ON true
    WHERE NOT EXISTS (SELECT FROM found)
    RETURNING task_id, state, object
), moved AS (
    UPDATE tasks t
    SET state = CASE WHEN next.opens THEN 'output_ready' ELSE t.state END,
        reason = CASE WHEN next.opens THEN NULL ELSE t.reason END,
        wake_at = CASE WHEN next.opens OR t.lease_id IS NULL THEN NULL ELSE t.wake_at END,
        lease_id = CASE WHEN next.opens THEN NULL ELSE t.lease_id END,
        lease_worker = CASE WHEN next.opens THEN NULL ELSE t.lease_worker END,
        leased_at = CASE WHEN next.opens THEN NULL ELSE t.leased_at END,
        announce_at = CASE WHEN next.opens THEN NULL ELSE t.announce_at END,
        tries = CASE WHEN next.opens THEN 0 ELSE t.tries END,
        refreshes = CASE WHEN next.opens THEN 0 ELSE t.refreshes END,
        verifications = CASE WHEN next.opens THEN 0 ELSE t.verifications END,
        strikes = CASE WHEN next.opens THEN 0 ELSE t.strikes END,
        unproven_sha256 = CASE WHEN next.opens THEN NULL ELSE t.unproven_sha256 END,
        rejected_sha256 = CASE WHEN next.opens THEN NULL ELSE t.rejected_sha256 END,
        rejected_reason = CASE WHEN next.opens THEN NULL ELSE t.rejected_reason END,
        sources_added = t.sources_added + CASE WHEN told.has_source THEN 1 ELSE 0 END,
        url_expires_at = CASE WHEN next.opens THEN %(url_expires_at)s
                              ELSE greatest(t.url_expires_at, %(url_expires_at)s::timestamptz) END,
        deadline = CASE WHEN next.opens THEN %(deadline)s ELSE greatest(t.deadline, %(deadline)s::timestamptz) END,
        urgency = CASE WHEN next.opens THEN estimate.urgency ELSE greatest(t.urgency, estimate.urgency) END,
        source_lane = %(lane)s,
        object = t.object || %(object)s::jsonb,
        -- The first output of a placeholder gives it its names; what was told before and not again stays.
        output_id = CASE WHEN next.placeholder THEN %(output_id)s ELSE t.output_id END,
        processor_version = CASE WHEN next.placeholder
            THEN coalesce(%(processor_version)s::text, nullif(t.processor_version, ''), 'none')
            ELSE t.processor_version END,
        ready_at = CASE WHEN next.placeholder THEN %(ready_at)s ELSE t.ready_at END,
        operation_id = CASE WHEN next.placeholder THEN coalesce(%(operation_id)s::text, t.operation_id)
                            ELSE t.operation_id END,
        attempt_id = CASE WHEN next.placeholder THEN coalesce(%(attempt_id)s::text, t.attempt_id)
                          ELSE t.attempt_id END,
        variant = CASE WHEN next.placeholder THEN coalesce(%(variant)s::text, t.variant) ELSE t.variant END,
        retention_class = CASE WHEN next.placeholder THEN coalesce(%(retention_class)s::text, t.retention_class)
                               ELSE t.retention_class END,
        display_name = CASE WHEN next.placeholder THEN coalesce(%(display_name)s::text, t.display_name)
                            ELSE t.display_name END,
        promised_kind = CASE WHEN next.placeholder THEN coalesce(%(promised_kind)s::text, t.promised_kind)
                             ELSE t.promised_kind END,
        expected = CASE WHEN next.placeholder THEN coalesce(%(expected)s::jsonb, t.expected) ELSE t.expected END,
        provenance = CASE WHEN next.placeholder
            THEN jsonb_strip_nulls(jsonb_build_object('model', %(model)s::text))
                 || coalesce(%(provenance)s::jsonb, t.provenance)
            ELSE t.provenance END,
        derived_from = CASE WHEN next.placeholder THEN coalesce(%(derived_from)s::uuid[], t.derived_from)
                            ELSE t.derived_from END
    FROM next, told, estimate
    WHERE t.task_id = next.task_id AND t.state = next.state
    RETURNING t.task_id, t.state, next.state AS was, t.epoch, t.object
), repeated AS (
    UPDATE tasks t SET announce_at = statement_timestamp()
    FROM found, heard
    WHERE t.task_id = found.task_id AND t.state = found.state AND t.state IN ('complete', 'needs_attention')
      AND heard.outcome IN ('accepted', 'duplicate') AND NOT EXISTS (SELECT FROM next)
      -- A provider that says the same again asks for no answer.
      AND %(kin_id)s::uuid IS NULL
    RETURNING t.task_id, t.state
), sourced AS (
    INSERT INTO sources (
        source_id, task_id, sealed, object, host, path_sha256, issued_at, expires_at, expires_from, confidence)
    SELECT %(source_id)s, fresh.task_id, %(sealed)s,
           CASE WHEN %(object)s::jsonb IS NOT NULL
                THEN coalesce((SELECT object FROM moved), (SELECT object FROM born), %(object)s::jsonb) END,
           %(host)s, %(path_sha256)s, %(issued_at)s, %(url_expires_at)s, %(expires_from)s, %(confidence)s
    FROM fresh, told
    WHERE told.has_source
      AND NOT EXISTS (SELECT FROM found
                      WHERE state = 'complete' OR (state = 'abandoned' AND NOT EXISTS (SELECT FROM next)))
), aliased AS (
    INSERT INTO aliases (alias_id, task_id)
    SELECT %(subject_id)s, found.task_id FROM fresh, found
    WHERE found.task_id <> %(subject_id)s AND (NOT found.placeholder OR EXISTS (SELECT FROM next))
    ON CONFLICT DO NOTHING
), noted AS (
    INSERT INTO history (task_id, act, from_state, to_state, epoch)
    SELECT task_id, 'accept', 'new', state, 0 FROM born
    UNION ALL
    SELECT task_id, CASE was WHEN 'generating' THEN 'accept' ELSE 'reopen' END, was, state, epoch
    FROM moved WHERE was <> state
)
SELECT heard.outcome,
       coalesce((SELECT task_id FROM found), %(subject_id)s) AS task_id,
       coalesce((SELECT state FROM born), (SELECT state FROM moved), (SELECT state FROM found)) AS state
FROM heard LEFT JOIN life ON true;
