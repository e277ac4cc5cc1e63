-- sweep_uploads: multipart uploads that claims named which ended before an instant and staged nothing, by their end.
SELECT task_id, epoch, lease_id, ended_at, staging_key, upload_id FROM claims
WHERE upload_id IS NOT NULL AND upload_over_at IS NULL AND outcome <> 'staged'
  AND ended_at < %(over_before)s AND (ended_at, lease_id) > (%(after_at)s::timestamptz, %(after_id)s::uuid)
ORDER BY ended_at, lease_id LIMIT %(limit)s;
