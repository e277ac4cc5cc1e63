-- public_task: one task as anyone with read rights may see it, by its id or by the one that a producer computed.
SELECT task_id, account, provider, provider_account, job_id, output_id, operation_id, attempt_id, variant, state, kind,
       reason, durable_uri, size, sha256, media, display_name, retention_class, ready_at, accepted_at, url_expires_at,
       deadline, stored_at, completed_at, updated_at, tries, refreshes, next_try_at, at_risk,
       evidence, processor_version, derived_from, provenance, flags
FROM public_tasks WHERE task_id = task_of(%(task_id)s);
