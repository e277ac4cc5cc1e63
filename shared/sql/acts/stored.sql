-- stored: records the durable object that read back with digest H3; the lease is kept for the completion.
WITH moved AS (
    UPDATE tasks t
    SET state = 'stored', reason = NULL, durable_uri = %(uri)s, size = %(size)s, h3 = %(sha256)s,
        stored_at = statement_timestamp()
    WHERE t.task_id = %(task_id)s AND t.state = %(from_state)s AND t.lease_id = %(lease_id)s AND t.epoch = %(epoch)s
    RETURNING t.task_id, t.state, t.epoch
), durable AS (
    UPDATE assets a
    SET status = 'durable', version_id = %(version_id)s, etag = %(etag)s, durable_at = statement_timestamp()
    FROM moved WHERE a.task_id = moved.task_id
)
INSERT INTO history (task_id, act, from_state, to_state, epoch)
SELECT task_id, 'stored', %(from_state)s, state, epoch FROM moved
RETURNING task_id;
