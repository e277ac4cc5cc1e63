-- poll_now: has a job asked for at once, since somebody says that there is news of it.
UPDATE jobs SET due_at = least(due_at, statement_timestamp())
WHERE job_key = %(job_key)s AND reported_at IS NULL
RETURNING job_key;
