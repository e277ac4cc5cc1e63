-- sweep_staging: how each of some staged objects stands, in their order.
SELECT staged_standing(%(bucket)s, o.key, o.task_id, o.epoch, %(over_before)s::timestamptz) AS standing
FROM unnest(%(keys)s::text[], %(task_ids)s::uuid[], %(epochs)s::integer[]) WITH ORDINALITY AS o (key, task_id, epoch, number)
ORDER BY o.number;
