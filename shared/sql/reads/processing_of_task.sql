-- processing_of_task: what every version of every processor has made of an asset.
SELECT version_id, sha256, processor_version, state, epoch, tries, reason, detail, received_at, state_since, finished_at,
       result_bucket, result_key, result_version, result_size, result_sha256, result_type
FROM public_processing WHERE task_id = %(task_id)s
ORDER BY received_at, processor_version;
