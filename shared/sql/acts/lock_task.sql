-- lock_task: lets events about one task be accepted one after the other, until the end of the transaction.
SELECT pg_advisory_xact_lock(hashtextextended(%(task_id)s::text, 0));
