-- give_up: stops a task with its reason and evidence; a source that came meanwhile is tried instead.
WITH moved AS (
    UPDATE tasks t
    SET state = CASE WHEN t.state = 'downloading' AND t.sources_added <> %(sources_added)s THEN 'download_retry'
                     ELSE %(to_state)s END,
        announce_at = CASE WHEN t.state = 'downloading' AND t.sources_added <> %(sources_added)s THEN t.announce_at
                           ELSE statement_timestamp() END,
        reason = %(reason)s, wake_at = NULL,
        lease_id = NULL, lease_worker = NULL, leased_at = NULL, strikes = 0
    WHERE t.task_id = %(task_id)s AND t.state = %(from_state)s AND t.lease_id = %(lease_id)s AND t.epoch = %(epoch)s
    RETURNING t.task_id, t.state, t.epoch
), closed AS (
    UPDATE claims c
    SET ended_at = statement_timestamp(), outcome = moved.state, reason = %(reason)s, evidence = %(evidence)s
    FROM moved WHERE c.task_id = moved.task_id AND c.epoch = moved.epoch
)
INSERT INTO history (task_id, act, from_state, to_state, epoch, reason)
SELECT task_id, 'give_up', %(from_state)s, state, epoch, %(reason)s FROM moved
RETURNING task_id;
