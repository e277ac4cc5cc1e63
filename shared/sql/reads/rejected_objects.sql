-- rejected_objects: where the refused bytes of one task lie that are not purged yet, newest first; of one claim or of all.
SELECT r.task_id, r.epoch, r.bucket, r.key, r.version_id, r.size, r.sha256, r.reason, r.rejected_at, p.in_use
FROM rejected r JOIN public_rejected p USING (task_id, epoch)
WHERE r.task_id = task_of(%(task_id)s) AND r.purged_at IS NULL
  AND (%(epoch)s::integer IS NULL OR r.epoch = %(epoch)s)
ORDER BY r.epoch DESC LIMIT %(limit)s;
