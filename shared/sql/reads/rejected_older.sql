-- rejected_older: where refused bytes lie that are older than an instant and not purged yet, oldest first.
SELECT r.task_id, r.epoch, r.bucket, r.key, r.version_id, r.size, r.sha256, r.reason, r.rejected_at, p.in_use
FROM rejected r JOIN public_rejected p USING (task_id, epoch)
WHERE r.rejected_at < %(before)s AND r.purged_at IS NULL
ORDER BY r.rejected_at, r.task_id, r.epoch LIMIT %(limit)s;
