-- jobs_waiting: how many jobs are asked for, and how long the one that waits longest is overdue.
SELECT count(*) AS waiting,
       coalesce(extract(epoch FROM greatest(statement_timestamp() - min(due_at), interval '0')), 0)::float8 AS overdue_seconds
FROM jobs WHERE due_at IS NOT NULL;
