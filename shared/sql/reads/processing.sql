-- processing: where the processing of an asset by one version of a processor stands, and for how long it is taken.
SELECT state, epoch, tries, reason, detail, lease_worker, finished_at, result_bucket, result_key, result_version,
       result_size, result_sha256, result_type, lease_of_processing_lives(lease_ends_at) AS is_held,
       extract(epoch FROM greatest(lease_ends_at, pg_postmaster_start_time() + interval '30 seconds')
               - statement_timestamp())::float8 AS held_seconds
FROM processing
WHERE task_id = %(task_id)s AND version_id = %(version_id)s AND sha256 = %(sha256)s
  AND processor_version = %(processor_version)s;
