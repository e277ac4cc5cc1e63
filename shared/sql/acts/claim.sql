-- claim: leases the most urgent claimable task of a stage, by probes of index positions alone, and opens its claim.
WITH bounds AS (
    SELECT CASE WHEN %(late)s THEN timestamptz '-infinity' ELSE statement_timestamp() END AS low,
           CASE WHEN %(within_seconds)s::float8 IS NULL THEN timestamptz 'infinity'
                ELSE statement_timestamp() + make_interval(secs => %(within_seconds)s::float8) END AS high,
           -- One task with a strike works at a time.
           CASE WHEN EXISTS (SELECT FROM tasks WHERE stage = %(stage)s AND strikes > 0 AND lease_id IS NOT NULL)
                THEN 0 ELSE 2147483647 END AS most_strikes
), head AS (
    SELECT l.lane, h.account, h.order_by,
           h.account = ANY (%(crowded)s::text[])
           OR h.account || '@' || l.lane = ANY (%(crowded_there)s::text[]) AS is_crowded
    FROM bounds CROSS JOIN lanes l
    CROSS JOIN LATERAL (
        SELECT t.account, t.order_by FROM tasks t
        WHERE t.stage = %(stage)s AND t.lane = l.lane AND t.wake_at IS NULL
          AND t.order_by >= bounds.low AND t.order_by < bounds.high AND t.strikes <= bounds.most_strikes
        ORDER BY t.order_by LIMIT 1) h
    WHERE l.stage = %(stage)s AND l.lane <> ALL (%(lanes)s::text[])
      AND split_part(l.lane, '/', 1) <> ALL (%(providers)s::text[])
), beside AS (
    -- Where the head of a lane belongs to a crowded account: the heads of the others, from account to account.
    SELECT head.lane, other.account, other.order_by
    FROM bounds CROSS JOIN head
    CROSS JOIN LATERAL (
        WITH RECURSIVE foremost AS (
            (SELECT t.account, t.order_by FROM tasks t
             WHERE t.stage = %(stage)s AND t.lane = head.lane AND t.wake_at IS NULL AND t.strikes <= bounds.most_strikes
             ORDER BY t.account, t.order_by LIMIT 1)
            UNION ALL
            SELECT further.account, further.order_by FROM foremost CROSS JOIN LATERAL (
                SELECT t.account, t.order_by FROM tasks t
                WHERE t.stage = %(stage)s AND t.lane = head.lane AND t.account > foremost.account
                  AND t.wake_at IS NULL AND t.strikes <= bounds.most_strikes
                ORDER BY t.account, t.order_by LIMIT 1) further
        ), within AS (
            SELECT f.account, CASE WHEN f.order_by >= bounds.low THEN f.order_by ELSE (
                -- Compared as rows, so that no statistics can make a scan of this.
                SELECT t.order_by FROM tasks t
                WHERE t.stage = %(stage)s AND t.lane = head.lane
                  AND (t.account, t.order_by) >= (f.account, bounds.low)
                  AND (t.account, t.order_by) < (f.account, bounds.high)
                  AND t.wake_at IS NULL AND t.strikes <= bounds.most_strikes
                ORDER BY t.account, t.order_by LIMIT 1) END AS order_by,
                f.account || '@' || head.lane = ANY (%(crowded_there)s::text[]) AS is_crowded_there
            FROM foremost f
        ), waiting AS (
            SELECT account, order_by, is_crowded_there, bool_and(is_crowded_there) OVER () AS are_all
            FROM within WHERE order_by < bounds.high AND account <> ALL (%(crowded)s::text[])
        )
        SELECT account, order_by FROM waiting WHERE is_crowded_there = are_all ORDER BY order_by LIMIT 8) other
    WHERE head.is_crowded
), candidate AS (
    -- Several, as other workers may be taking the first ones at this moment.
    SELECT lane, NULL AS account, order_by FROM head WHERE NOT is_crowded
    UNION ALL
    SELECT lane, account, order_by FROM beside
    ORDER BY order_by LIMIT 8
), pick AS (
    SELECT task.task_id, task.state
    FROM bounds CROSS JOIN candidate c
    CROSS JOIN LATERAL (
        SELECT * FROM (
            SELECT t.task_id, t.state FROM tasks t
            WHERE c.account IS NULL AND t.stage = %(stage)s AND t.lane = c.lane
              AND t.order_by >= bounds.low AND t.order_by < bounds.high
              AND t.wake_at IS NULL AND t.strikes <= bounds.most_strikes
            ORDER BY t.order_by LIMIT 1
            FOR UPDATE SKIP LOCKED) of_anybody
        UNION ALL
        SELECT * FROM (
            SELECT t.task_id, t.state FROM tasks t
            WHERE t.stage = %(stage)s AND t.lane = c.lane
              AND (t.account, t.order_by) >= (c.account, bounds.low)
              AND (t.account, t.order_by) < (c.account, bounds.high)
              AND t.wake_at IS NULL AND t.strikes <= bounds.most_strikes
            ORDER BY t.account, t.order_by LIMIT 1
            FOR UPDATE SKIP LOCKED) of_the_account
    ) task
    LIMIT 1
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
       h2, kind, facts, verifier_version, durable_uri, size, h3, provenance ->> 'model' AS model, declared_type, flags
FROM taken;
