-- story_job: what the questions to a provider about one job brought, by the task id of its placeholder.
SELECT provider, job_id, model, has_address, started_at, due_at, asked, troubles, asked_at, last_word, last_reason, reported_at
FROM public_jobs WHERE job_key = %(job_key)s;
