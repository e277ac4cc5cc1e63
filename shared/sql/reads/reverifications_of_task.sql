-- reverifications_of_task: what was found when the asset of one task was looked at again, oldest first.
SELECT verifier_version, verdict, reason, detail, checked_at
FROM public_reverifications WHERE task_id = %(task_id)s ORDER BY checked_at LIMIT %(limit)s;
