-- sweep_staging: how each of some staged objects stands, in their order.
SELECT staged_standing(%(bucket)s, o.key, o.task_id, o.epoch, o.lease_id, %(over_before)s::timestamptz) AS standing
FROM unnest(%(keys)s::text[], %(task_ids)s::uuid[], %(epochs)s::integer[], %(lease_ids)s::uuid[])
         WITH ORDINALITY AS o (key, task_id, epoch, lease_id, number)
ORDER BY o.number;
