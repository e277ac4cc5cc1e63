-- announced: closes an announcement that was sent, unless it became due again meanwhile.
UPDATE tasks SET announce_at = NULL, announced_at = statement_timestamp()
WHERE task_id = %(task_id)s AND announce_at = %(announce_at)s AND state = %(state)s
RETURNING task_id;
