-- processing_begin: leases the processing of a complete asset to one run, unless it has its end, a living lease, or no try left.
INSERT INTO processing AS p (task_id, version_id, sha256, processor_version, state, lease_id, lease_worker, lease_ends_at, epoch)
SELECT t.task_id, %(version_id)s, t.sha256, %(processor_version)s, 'validating', %(lease_id)s, %(worker)s,
       statement_timestamp() + make_interval(secs => %(lease_seconds)s), 1
FROM public_tasks t
WHERE t.task_id = %(task_id)s AND t.state = 'complete' AND t.sha256 = %(sha256)s
ON CONFLICT (task_id, version_id, sha256, processor_version) DO UPDATE
SET state = 'validating', state_since = statement_timestamp(), lease_id = excluded.lease_id,
    lease_worker = excluded.lease_worker, lease_ends_at = excluded.lease_ends_at, epoch = p.epoch + 1,
    tries = p.tries + (p.lease_id IS NOT NULL)::integer
WHERE p.finished_at IS NULL AND NOT lease_of_processing_lives(p.lease_ends_at)
  AND p.tries + (p.lease_id IS NOT NULL)::integer < %(most_tries)s
RETURNING p.epoch, p.tries;
