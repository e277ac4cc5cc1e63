-- complete: closes a stored task, deletes its sources, and makes its announcement due.
WITH moved AS (
    UPDATE tasks t
    SET state = 'complete', completed_at = statement_timestamp(), announce_at = statement_timestamp(),
        wake_at = NULL, lease_id = NULL, lease_worker = NULL, leased_at = NULL, strikes = 0
    WHERE t.task_id = %(task_id)s AND t.state = %(from_state)s AND t.lease_id = %(lease_id)s AND t.epoch = %(epoch)s
    RETURNING t.task_id, t.state, t.epoch
), closed AS (
    UPDATE claims c SET ended_at = statement_timestamp(), outcome = 'complete', evidence = %(evidence)s
    FROM moved WHERE c.task_id = moved.task_id AND c.epoch = moved.epoch
), forgotten AS (
    DELETE FROM sources s USING moved WHERE s.task_id = moved.task_id
)
INSERT INTO history (task_id, act, from_state, to_state, epoch)
SELECT task_id, 'complete', %(from_state)s, state, epoch FROM moved
RETURNING task_id;
