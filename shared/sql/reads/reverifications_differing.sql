-- reverifications_differing: stored assets that the checks of one release would not accept as they are, by the end of their tasks.
SELECT v.task_id, t.account, t.completed_at, t.durable_uri, v.verdict, v.reason, v.detail, v.checked_at
FROM reverifications v JOIN tasks t USING (task_id)
WHERE v.verifier_version = %(verifier_version)s AND v.verdict <> 'same' AND t.completed_at >= %(since)s
  AND (%(account)s::text IS NULL OR t.account = %(account)s)
ORDER BY t.completed_at, v.task_id LIMIT %(limit)s;
