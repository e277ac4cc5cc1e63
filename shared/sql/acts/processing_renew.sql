-- processing_renew: lengthens the lease of a run that still holds its token, also after its lapse.
UPDATE processing
SET lease_ends_at = statement_timestamp() + make_interval(secs => %(lease_seconds)s)
WHERE task_id = %(task_id)s AND version_id = %(version_id)s AND sha256 = %(sha256)s
  AND processor_version = %(processor_version)s AND lease_id = %(lease_id)s AND epoch = %(epoch)s
RETURNING task_id;
