-- renew: lengthens all leases of a process that still hold their token, and names them.
UPDATE tasks t
SET wake_at = statement_timestamp() + make_interval(secs => %(lease_seconds)s)
FROM unnest(%(task_ids)s::uuid[], %(lease_ids)s::uuid[]) AS held (task_id, lease_id)
WHERE t.task_id = held.task_id AND t.lease_id = held.lease_id
RETURNING t.lease_id;
