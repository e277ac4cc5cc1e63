-- released: an operator lets an output go on that was held for review; its proof is kept, so the promoter takes it.
WITH moved AS (
    UPDATE tasks t
    SET state = 'promoting', reason = NULL, wake_at = NULL, announce_at = NULL, placements = 0, strikes = 0
    WHERE t.task_id = %(task_id)s AND t.state = 'needs_attention' AND t.reason = 'held_for_review'
    RETURNING t.task_id, t.state, t.epoch, t.flags
), noted AS (
    INSERT INTO history (task_id, act, from_state, to_state, epoch, reason, detail)
    SELECT task_id, 'released', 'needs_attention', state, epoch, %(why)s, %(detail)s FROM moved
)
SELECT state, flags FROM moved;
