-- status: how many tasks stand in each state, and how old the oldest of them is.
SELECT state, count(*) AS tasks, extract(epoch FROM statement_timestamp() - min(updated_at))::float8 AS oldest_seconds
FROM public_tasks GROUP BY state ORDER BY state;
