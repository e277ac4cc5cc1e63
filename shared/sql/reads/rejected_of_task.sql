-- rejected_of_task: the refused bytes of one task, oldest first.
SELECT task_id, epoch, account, provider, job_id, output_id, size, sha256, reason, rejected_at, keep_until, purged_at,
       purged_by, why, in_use
FROM public_rejected WHERE task_id = %(task_id)s ORDER BY epoch LIMIT %(limit)s;
