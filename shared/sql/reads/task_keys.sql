-- task_keys: where a task stands in the orders in which tasks are listed.
SELECT accepted_at, urgency FROM public_tasks WHERE task_id = %(task_id)s;
