-- processing_release: gives a lease back without an end, with what was in the way; the next run may begin at once.
UPDATE processing
SET state = 'received', state_since = statement_timestamp(), reason = %(reason)s, detail = %(detail)s,
    tries = tries + %(tries)s, lease_id = NULL, lease_worker = NULL, lease_ends_at = NULL
WHERE task_id = %(task_id)s AND version_id = %(version_id)s AND sha256 = %(sha256)s
  AND processor_version = %(processor_version)s AND lease_id = %(lease_id)s AND epoch = %(epoch)s
RETURNING task_id;
