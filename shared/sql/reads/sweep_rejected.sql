-- sweep_rejected: where refused bytes lie whose time is over and that no task goes on with, by their time.
SELECT r.task_id, r.epoch, r.bucket, r.key, r.version_id, r.size, r.sha256, r.reason, r.rejected_at, r.keep_until, p.in_use
FROM rejected r JOIN public_rejected p USING (task_id, epoch)
WHERE r.purged_at IS NULL AND r.keep_until < %(now)s AND NOT p.in_use AND r.bucket = %(bucket)s
  AND (r.keep_until, r.task_id, r.epoch) > (%(after_at)s::timestamptz, %(after_id)s::uuid, %(after_epoch)s::integer)
ORDER BY r.keep_until, r.task_id, r.epoch LIMIT %(limit)s;
