-- reported: ends the questions about a job of which all is known.
UPDATE jobs
SET due_at = NULL, reported_at = statement_timestamp(), last_word = coalesce(%(word)s::text, last_word),
    -- Without a word it ends for what was found last.
    troubles = CASE WHEN %(word)s::text IS NULL THEN troubles ELSE 0 END,
    last_reason = CASE WHEN %(word)s::text IS NULL THEN last_reason END
WHERE job_key = %(job_key)s AND reported_at IS NULL;
