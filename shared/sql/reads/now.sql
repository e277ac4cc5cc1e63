-- now: what time it is at the database, whose clock all services share.
SELECT clock_timestamp() AS now;
