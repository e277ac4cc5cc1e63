-- sweeping: begins the deletion of staged objects that may go, of no others; from here on no task is resumed with them.
INSERT INTO swept (task_id, epoch, bucket, key, version_id, size, why)
SELECT o.task_id, o.epoch, %(bucket)s, o.key, o.version_id, o.size, s.standing
FROM unnest(%(keys)s::text[], %(versions)s::text[], %(task_ids)s::uuid[], %(epochs)s::integer[],
            %(lease_ids)s::uuid[], %(sizes)s::bigint[]) AS o (key, version_id, task_id, epoch, lease_id, size)
CROSS JOIN LATERAL staged_standing(%(bucket)s, o.key, o.task_id, o.epoch, o.lease_id, %(over_before)s::timestamptz) AS s (standing)
WHERE (s.standing IN ('superseded', 'closed') OR s.standing = 'unknown' AND %(unknown)s)
  -- Another sweeper may have deleted it since this one saw it in the store.
  AND NOT EXISTS (
      SELECT FROM swept w
      WHERE w.task_id = o.task_id AND w.bucket = %(bucket)s AND w.key = o.key AND w.version_id = o.version_id
        AND (w.deleted_at IS NULL OR w.deleted_at >= %(began_at)s))
ON CONFLICT (bucket, key, version_id) WHERE deleted_at IS NULL DO NOTHING;
