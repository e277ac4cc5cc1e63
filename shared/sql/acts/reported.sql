-- reported: ends the questions about a job of which all is known.
UPDATE jobs SET due_at = NULL, reported_at = statement_timestamp(), last_word = coalesce(%(word)s, last_word)
WHERE job_key = %(job_key)s AND reported_at IS NULL;
