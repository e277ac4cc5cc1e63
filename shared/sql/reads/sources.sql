-- sources: the sources of a task, freshest first.
SELECT source_id, sealed, object, host, issued_at, expires_at, expires_from, confidence, observed_expired_at, added_at
FROM sources WHERE task_id = %(task_id)s
ORDER BY observed_expired_at IS NULL DESC, expires_at DESC NULLS LAST, added_at DESC
LIMIT 20;
