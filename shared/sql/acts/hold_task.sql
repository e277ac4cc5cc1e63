-- hold_task: keeps workers from moving a task until the end of the transaction, so that an event sees its state.
SELECT task_id FROM tasks WHERE task_id = %(task_id)s FOR NO KEY UPDATE;
