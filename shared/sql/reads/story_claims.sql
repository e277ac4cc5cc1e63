-- story_claims: the next claims of a task backwards from an epoch.
SELECT epoch, stage, worker, started_at, ended_at, outcome, reason, evidence
FROM public_claims WHERE task_id = %(task_id)s AND epoch < %(before)s ORDER BY epoch DESC LIMIT %(limit)s;
