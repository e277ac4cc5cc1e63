-- poll_due: takes the jobs that are to be asked for now, by turns of their accounts, and lets go of those nobody waits for.
WITH RECURSIVE room AS (
    SELECT * FROM unnest(%(providers)s::text[], %(most)s::integer[]) AS room (provider, most)
), owner AS (
    -- From account to account, by index positions alone.
    (SELECT room.provider, room.most, foremost.account FROM room CROSS JOIN LATERAL (
        SELECT j.account FROM jobs j WHERE j.provider = room.provider AND j.due_at IS NOT NULL
        ORDER BY j.account LIMIT 1) foremost)
    UNION ALL
    SELECT owner.provider, owner.most, further.account FROM owner CROSS JOIN LATERAL (
        SELECT j.account FROM jobs j
        WHERE j.provider = owner.provider AND j.account > owner.account AND j.due_at IS NOT NULL
        ORDER BY j.account LIMIT 1) further
), place AS (
    SELECT owner.provider, job.job_key,
           row_number() OVER (PARTITION BY owner.provider, owner.account ORDER BY job.due_at) AS in_account
    FROM owner CROSS JOIN LATERAL (
        -- Some more, as other processes may be taking the first ones at this moment.
        SELECT j.job_key, j.due_at FROM jobs j
        WHERE j.provider = owner.provider AND j.account = owner.account AND j.due_at <= statement_timestamp()
        ORDER BY j.due_at LIMIT 2 * owner.most) job
), turn AS (
    SELECT provider, job_key, row_number() OVER (PARTITION BY provider ORDER BY in_account, random()) AS turn FROM place
), due AS (
    SELECT job.* FROM room CROSS JOIN LATERAL (
        SELECT held.*, next.turn FROM (
            SELECT * FROM turn WHERE turn.provider = room.provider AND turn.turn <= 2 * room.most ORDER BY turn.turn) next
        CROSS JOIN LATERAL (
            SELECT j.job_key, j.started_at FROM jobs j
            WHERE j.job_key = next.job_key AND j.due_at <= statement_timestamp()
            LIMIT 1
            FOR UPDATE SKIP LOCKED) held
        ORDER BY next.turn LIMIT room.most) job
    ORDER BY job.turn LIMIT %(most_of_all)s
), known AS (
    SELECT due.job_key, t.traceparent,
           -- Of a placeholder this is since when it waits, of an output since when it is ready.
           coalesce(t.ready_at, due.started_at) > statement_timestamp() - make_interval(secs => %(generation_seconds)s)
           -- Its first output may be known, while others are not reported yet.
           AND coalesce(t.output_id <> '' OR t.state = 'generating', true) AS is_waited_for
    FROM due LEFT JOIN tasks t ON t.task_id = due.job_key
), taken AS (
    UPDATE jobs j
    SET due_at = CASE WHEN known.is_waited_for THEN statement_timestamp() + make_interval(secs => %(lease_seconds)s) END,
        asked = j.asked + CASE WHEN known.is_waited_for THEN 1 ELSE 0 END,
        asked_at = CASE WHEN known.is_waited_for THEN statement_timestamp() ELSE j.asked_at END
    FROM known WHERE j.job_key = known.job_key
    RETURNING j.*, known.traceparent, known.is_waited_for
)
SELECT account, provider, provider_account, job_id, model, sealed, started_at, asked, troubles, unknown, unknown_since,
       traceparent
FROM taken WHERE is_waited_for;
