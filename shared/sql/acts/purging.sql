-- purging: begins the deletion of refused bytes, unless their task goes on with them; from here on it is not resumed with them.
WITH free AS (
    SELECT r.task_id, r.epoch
    FROM rejected r JOIN tasks t USING (task_id)
    WHERE r.task_id = %(task_id)s AND r.epoch = %(epoch)s AND r.purged_at IS NULL
      AND ((r.bucket = t.staged_bucket AND r.key = t.staged_key) IS NOT TRUE
           OR NOT needs_staged(t.state, t.h1, t.h2, t.staged_at, t.verified_at))
    FOR UPDATE OF t
)
UPDATE rejected r
SET purging_at = coalesce(r.purging_at, statement_timestamp()), purged_by = %(by)s, why = %(why)s
FROM free WHERE r.task_id = free.task_id AND r.epoch = free.epoch
RETURNING r.bucket, r.key, r.version_id;
