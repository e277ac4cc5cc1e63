-- claim: leases the most urgent claimable task of a stage, by one index probe per lane, and opens its claim.
WITH bounds AS (
    SELECT CASE WHEN %(late)s THEN timestamptz '-infinity' ELSE statement_timestamp() END AS low,
           CASE WHEN %(within_seconds)s::float8 IS NULL THEN timestamptz 'infinity'
                ELSE statement_timestamp() + make_interval(secs => %(within_seconds)s::float8) END AS high
), head AS (
    SELECT l.lane
    FROM bounds CROSS JOIN lanes l
    CROSS JOIN LATERAL (
        SELECT t.order_by FROM tasks t
        WHERE t.stage = %(stage)s AND t.lane = l.lane AND t.wake_at IS NULL
          AND t.order_by >= bounds.low AND t.order_by < bounds.high
          AND (t.strikes = 0 OR NOT EXISTS (
              SELECT FROM tasks s WHERE s.stage = %(stage)s AND s.strikes > 0 AND s.lease_id IS NOT NULL))
        ORDER BY t.order_by LIMIT 1) h
    WHERE l.stage = %(stage)s AND l.lane <> ALL (%(full)s)
    ORDER BY h.order_by LIMIT 1
), pick AS (
    SELECT t.task_id, t.state FROM bounds CROSS JOIN head JOIN tasks t ON t.lane = head.lane
    WHERE t.stage = %(stage)s AND t.wake_at IS NULL
      AND t.order_by >= bounds.low AND t.order_by < bounds.high
      AND (t.strikes = 0 OR NOT EXISTS (
          SELECT FROM tasks s WHERE s.stage = %(stage)s AND s.strikes > 0 AND s.lease_id IS NOT NULL))
    ORDER BY t.order_by LIMIT 1
    FOR UPDATE OF t SKIP LOCKED
), taken AS (
    UPDATE tasks t
    SET state = CASE WHEN t.stage = 'download' THEN 'downloading' ELSE t.state END,
        lease_id = %(lease_id)s, lease_worker = %(worker)s, leased_at = statement_timestamp(),
        epoch = t.epoch + 1, wake_at = statement_timestamp() + make_interval(secs => %(lease_seconds)s)
    FROM pick WHERE t.task_id = pick.task_id
    RETURNING t.*, pick.state AS was
), opened AS (
    INSERT INTO claims (task_id, epoch, lease_id, stage, worker)
    SELECT task_id, epoch, lease_id, stage, lease_worker FROM taken
), noted AS (
    INSERT INTO history (task_id, act, from_state, to_state, epoch)
    SELECT task_id, 'claim', was, state, epoch FROM taken
)
SELECT task_id, lease_id, epoch, state, stage, lane, account, provider, provider_account, job_id, output_id,
       operation_id, attempt_id, variant, display_name, promised_kind, expected, traceparent,
       tries, refreshes, verifications, placements, strikes, ready_at, url_expires_at, deadline, sources_added,
       reason AS last_reason, staged_bucket, staged_key, staged_version, staged_etag, staged_size, h1, unproven_sha256, rejected_sha256, rejected_reason,
       h2, kind, facts, verifier_version, durable_uri, size, h3
FROM taken;
