-- hold_tasks: keeps everybody from moving some tasks until the end of the transaction, so that a deletion is decided on what they are.
SELECT task_id FROM tasks WHERE task_id = ANY (%(task_ids)s::uuid[]) ORDER BY task_id FOR NO KEY UPDATE;
