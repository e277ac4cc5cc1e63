-- job_address: the sealed address of a job's record, if an event gave one.
SELECT sealed FROM jobs WHERE job_key = %(job_key)s AND sealed IS NOT NULL;
