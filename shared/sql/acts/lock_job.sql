-- lock_job: lets the events about one job, or one object, be accepted one after the other, until the end of the transaction.
SELECT pg_advisory_xact_lock(hashtextextended(%(job)s::text, 0));
