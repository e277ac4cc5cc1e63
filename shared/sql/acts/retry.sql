-- retry: ends a transfer that failed; another one is due after the delay, and is charged unless a source came meanwhile.
WITH moved AS (
    UPDATE tasks t
    SET state = 'download_retry', reason = %(reason)s,
        wake_at = CASE WHEN %(delay_seconds)s::float8 > 0
                       THEN statement_timestamp() + make_interval(secs => %(delay_seconds)s::float8) END,
        lease_id = NULL, lease_worker = NULL, leased_at = NULL, strikes = 0,
        -- It has had its turn; past its time it stays where it is, among those that are tried last.
        put_back_to = CASE WHEN t.order_by > statement_timestamp()
                           THEN t.order_by + (statement_timestamp() - t.leased_at) ELSE t.put_back_to END,
        -- What an older source did is not held against one that came while it was used.
        tries = t.tries + CASE WHEN t.sources_added = %(sources_added)s THEN %(tries)s ELSE 0 END
    WHERE t.task_id = %(task_id)s AND t.state = %(from_state)s AND t.lease_id = %(lease_id)s AND t.epoch = %(epoch)s
    RETURNING t.task_id, t.state, t.epoch
), closed AS (
    UPDATE claims c
    SET ended_at = statement_timestamp(), outcome = 'retry', reason = %(reason)s, evidence = %(evidence)s
    FROM moved WHERE c.task_id = moved.task_id AND c.epoch = moved.epoch
)
INSERT INTO history (task_id, act, from_state, to_state, epoch, reason)
SELECT task_id, 'retry', %(from_state)s, state, epoch, %(reason)s FROM moved
RETURNING task_id;
