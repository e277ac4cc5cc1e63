-- story_sources: what is known of the links of a task that is not complete, the newest first.
SELECT source_id, added_at, added_by, host, object, issued_at, expires_at, expires_from, confidence, observed_expired_at
FROM public_sources WHERE task_id = %(task_id)s ORDER BY added_at DESC LIMIT %(limit)s;
