-- forget_sources: deletes sources of tasks that are over or stopped, with an entry in the history of each task.
WITH gone AS (
    DELETE FROM sources s USING tasks t
    WHERE s.source_id = ANY (%(source_ids)s::uuid[]) AND t.task_id = s.task_id
      AND t.state IN ('complete', 'abandoned', 'needs_attention')
    RETURNING s.task_id, t.state, t.epoch
), noted AS (
    INSERT INTO history (task_id, act, from_state, to_state, epoch, detail)
    SELECT task_id, 'forget_sources', state, state, epoch, jsonb_build_object('sources', count(*))
    FROM gone GROUP BY task_id, state, epoch
)
SELECT task_id FROM gone;
