-- tasks_named: the tasks that a person may mean by a name: the beginning of a task id, a job, or an operation; newest first.
WITH named AS MATERIALIZED (
    (SELECT task_id FROM public_tasks WHERE task_id BETWEEN %(lowest_id)s::uuid AND %(highest_id)s::uuid LIMIT %(limit)s)
    UNION
    (SELECT task_id FROM aliases WHERE alias_id BETWEEN %(lowest_id)s::uuid AND %(highest_id)s::uuid LIMIT %(limit)s)
    UNION
    (SELECT task_id FROM public_tasks WHERE job_id = %(wanted)s LIMIT %(limit)s)
    UNION
    (SELECT task_id FROM public_tasks WHERE operation_id = %(wanted)s AND operation_id <> job_id LIMIT %(limit)s)
)
SELECT task_id, account, provider, provider_account, job_id, output_id, operation_id, attempt_id, variant, state, kind,
       reason, durable_uri, size, sha256, media, display_name, retention_class, ready_at, accepted_at, url_expires_at,
       deadline, stored_at, completed_at, updated_at, tries, refreshes, next_try_at, at_risk
FROM named JOIN public_tasks USING (task_id)
ORDER BY accepted_at DESC, task_id DESC LIMIT %(limit)s;
