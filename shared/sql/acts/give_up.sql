-- give_up: stops a task with its reason and evidence; nothing automatic will help.
WITH moved AS (
    UPDATE tasks t
    SET state = %(to_state)s, reason = %(reason)s, wake_at = NULL, announce_at = statement_timestamp(),
        lease_id = NULL, lease_worker = NULL, leased_at = NULL, strikes = 0
    WHERE t.task_id = %(task_id)s AND t.state = %(from_state)s AND t.lease_id = %(lease_id)s AND t.epoch = %(epoch)s
    RETURNING t.task_id, t.state, t.epoch
), closed AS (
    UPDATE claims c
    SET ended_at = statement_timestamp(), outcome = %(to_state)s, reason = %(reason)s, evidence = %(evidence)s
    FROM moved WHERE c.task_id = moved.task_id AND c.epoch = moved.epoch
)
INSERT INTO history (task_id, act, from_state, to_state, epoch, reason)
SELECT task_id, 'give_up', %(from_state)s, state, epoch, %(reason)s FROM moved
RETURNING task_id;
