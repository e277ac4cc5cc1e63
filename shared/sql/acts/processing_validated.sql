-- processing_validated: records that a run has read and proven its asset, and works on it now.
UPDATE processing
SET state = 'processing', state_since = statement_timestamp()
WHERE task_id = %(task_id)s AND version_id = %(version_id)s AND sha256 = %(sha256)s
  AND processor_version = %(processor_version)s AND lease_id = %(lease_id)s AND epoch = %(epoch)s
RETURNING task_id;
