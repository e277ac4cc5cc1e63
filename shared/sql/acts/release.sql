-- release: gives a lease back without charging a try; it can be claimed again after the delay, which ends in time for its link.
WITH moved AS (
    UPDATE tasks t
    SET state = CASE WHEN t.state = 'downloading' THEN 'download_retry' ELSE t.state END,
        wake_at = CASE WHEN %(delay_seconds)s::float8 > 0
                       THEN least(statement_timestamp() + make_interval(secs => %(delay_seconds)s::float8),
                                  CASE WHEN t.stage = 'download' AND t.urgency > statement_timestamp()
                                       THEN greatest(statement_timestamp() + interval '1 second',
                                                     t.urgency - margin_before(t.urgency, t.ready_at))
                                  END) END,
        lease_id = NULL, lease_worker = NULL, leased_at = NULL, strikes = 0
    WHERE t.task_id = %(task_id)s AND t.state = %(from_state)s AND t.lease_id = %(lease_id)s AND t.epoch = %(epoch)s
    RETURNING t.task_id, t.state, t.epoch
), closed AS (
    UPDATE claims c
    SET ended_at = statement_timestamp(), outcome = 'released', reason = %(reason)s, evidence = %(evidence)s
    FROM moved WHERE c.task_id = moved.task_id AND c.epoch = moved.epoch
)
INSERT INTO history (task_id, act, from_state, to_state, epoch, reason)
SELECT task_id, 'release', %(from_state)s, state, epoch, %(reason)s FROM moved
RETURNING task_id;
