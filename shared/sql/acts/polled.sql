-- polled: records what a question about a job brought, and when it is asked for again.
UPDATE jobs
SET due_at = CASE WHEN due_at > statement_timestamp()
                  THEN statement_timestamp() + make_interval(secs => %(due_seconds)s::float8)
                  -- Somebody had it asked for once more while this question was under way.
                  ELSE due_at END,
    troubles = %(troubles)s, unknown = %(unknown)s, unknown_since = %(unknown_since)s,
    last_word = coalesce(%(word)s, last_word), last_reason = %(reason)s
WHERE job_key = %(job_key)s AND reported_at IS NULL AND due_at IS NOT NULL;
