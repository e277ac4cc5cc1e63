-- fruitless: stops waiting for a job of which the provider says that nothing is to be had, and tells people.
WITH stopped AS (
    UPDATE tasks t
    SET state = 'needs_attention', reason = %(reason)s, wake_at = NULL, announce_at = statement_timestamp()
    WHERE t.task_id = %(job_key)s AND t.state = 'generating' AND t.output_id = ''
    RETURNING t.task_id, t.state, t.epoch
), noted AS (
    INSERT INTO history (task_id, act, from_state, to_state, epoch, reason, detail)
    SELECT task_id, 'fruitless', 'generating', state, epoch, %(reason)s, %(detail)s::jsonb FROM stopped
)
SELECT task_id FROM stopped;
