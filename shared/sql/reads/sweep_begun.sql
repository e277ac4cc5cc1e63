-- sweep_begun: staged objects whose deletion was begun and is not ended, by number.
SELECT sweep_id, task_id, bucket, key, version_id, size, why FROM swept
WHERE deleted_at IS NULL AND bucket = %(bucket)s AND sweep_id > %(after)s
ORDER BY sweep_id LIMIT %(limit)s;
