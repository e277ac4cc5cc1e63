-- assets_to_reverify: of the next window of complete tasks by their end, oldest first, the assets to look at again.
WITH looked AS MATERIALIZED (
    SELECT task_id, account, completed_at, promised_kind, kind, expected, declared_type, verifier_version
    FROM tasks
    WHERE state = 'complete' AND completed_at >= %(since)s::timestamptz
      AND (completed_at, task_id) > (%(after_at)s::timestamptz, %(after_id)s::uuid)
    ORDER BY completed_at, task_id LIMIT %(window)s
), reached AS (
    SELECT count(*) AS looked_at, (array_agg(completed_at ORDER BY completed_at DESC, task_id DESC))[1] AS reached_at,
           (array_agg(task_id ORDER BY completed_at DESC, task_id DESC))[1] AS reached_id
    FROM looked
), found AS (
    SELECT l.task_id, l.account, l.completed_at, l.promised_kind, l.kind, l.expected, l.declared_type,
           a.bucket, a.key, a.version_id, a.size, a.sha256
    FROM looked l JOIN assets a USING (task_id)
    WHERE (%(account)s::text IS NULL OR l.account = %(account)s)
      AND (%(policy_below)s::integer IS NULL OR policy_of(l.verifier_version) < %(policy_below)s)
      -- One look at an index for each, as NOT EXISTS would make a scan of all.
      AND (%(again)s OR (
          SELECT v.verdict FROM reverifications v
          WHERE v.task_id = l.task_id AND v.verifier_version = %(verifier_version)s) IS NULL)
)
SELECT looked_at, reached_at, reached_id, task_id, account, completed_at, promised_kind, kind, expected, declared_type,
       bucket, key, version_id, size, sha256
FROM reached LEFT JOIN found ON true
ORDER BY completed_at, task_id;
