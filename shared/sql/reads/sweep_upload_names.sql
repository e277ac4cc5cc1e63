-- sweep_upload_names: whether the claim of each of some uploads is not over for long, or names it to be aborted by itself.
SELECT EXISTS (
    SELECT FROM claims c
    WHERE c.task_id = o.task_id AND c.epoch = o.epoch
      AND ((c.ended_at < %(over_before)s) IS NOT TRUE
           OR c.upload_id = o.upload_id AND c.upload_over_at IS NULL AND c.outcome <> 'staged')) AS is_needed
FROM unnest(%(task_ids)s::uuid[], %(epochs)s::integer[], %(uploads)s::text[])
         WITH ORDINALITY AS o (task_id, epoch, upload_id, number)
ORDER BY o.number;
