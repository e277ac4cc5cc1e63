-- rejected_newest: of the next window of refused bytes by age, newest first, those that match, and how far the window went.
WITH looked AS MATERIALIZED (
    SELECT task_id, epoch, account, provider, job_id, output_id, size, sha256, reason, rejected_at, keep_until,
           purged_at, purged_by, why, in_use
    FROM public_rejected
    WHERE rejected_at < %(before)s::timestamptz AND rejected_at >= %(since)s::timestamptz
      AND (%(account)s::text IS NULL OR account = %(account)s)
    ORDER BY rejected_at DESC, task_id DESC, epoch DESC LIMIT %(window)s
), reached AS (
    SELECT count(*) AS looked_at, min(rejected_at) AS reached_at FROM looked
), found AS (
    SELECT * FROM looked
    WHERE (%(reason)s::text IS NULL OR reason = %(reason)s) AND (%(purged)s OR purged_at IS NULL)
    ORDER BY rejected_at DESC, task_id DESC, epoch DESC LIMIT %(limit)s
)
SELECT looked_at, reached_at, task_id, epoch, account, provider, job_id, output_id, size, sha256, reason, rejected_at,
       keep_until, purged_at, purged_by, why, in_use
FROM reached LEFT JOIN found ON true
ORDER BY rejected_at DESC, task_id DESC, epoch DESC;
