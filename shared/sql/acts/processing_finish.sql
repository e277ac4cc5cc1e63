-- processing_finish: records the end of a run, which is the last word on this asset and version of the processor.
UPDATE processing
SET state = %(state)s, state_since = statement_timestamp(), finished_at = statement_timestamp(),
    reason = %(reason)s, detail = %(detail)s, result_bucket = %(bucket)s, result_key = %(key)s,
    result_version = %(result_version)s, result_size = %(size)s, result_sha256 = %(result_sha256)s,
    result_type = %(content_type)s, lease_id = NULL, lease_worker = NULL, lease_ends_at = NULL
WHERE task_id = %(task_id)s AND version_id = %(version_id)s AND sha256 = %(sha256)s
  AND processor_version = %(processor_version)s AND lease_id = %(lease_id)s AND epoch = %(epoch)s
RETURNING task_id;
