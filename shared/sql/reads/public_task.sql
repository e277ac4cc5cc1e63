-- public_task: one task as anyone with read rights may see it.
SELECT task_id, account, provider, job_id, output_id, state, kind, reason, durable_uri, size, sha256, media,
       display_name, ready_at, accepted_at, url_expires_at, deadline, stored_at, completed_at, updated_at, tries, refreshes, next_try_at, evidence
FROM public_tasks WHERE task_id = %(task_id)s;
