-- refreshed: adds the fresh source that the provider gave, while the lease is held.
WITH held AS (
    UPDATE tasks t
    SET refreshes = t.refreshes + 1,
        url_expires_at = greatest(t.url_expires_at, %(expires_at)s::timestamptz),
        deadline = greatest(t.deadline, %(deadline)s::timestamptz),
        urgency = greatest(t.urgency, CASE
            WHEN %(life_is_sure)s THEN greatest(%(deadline)s::timestamptz, %(expires_at)s::timestamptz)
            ELSE least(%(deadline)s::timestamptz, %(expires_at)s::timestamptz,
                       statement_timestamp() + guessed_life(%(counted_as)s)) END)
    WHERE t.task_id = %(task_id)s AND t.state = %(from_state)s AND t.lease_id = %(lease_id)s AND t.epoch = %(epoch)s
    RETURNING t.task_id, t.state, t.epoch
), life AS MATERIALIZED (
    SELECT count_life(%(counted_as)s, %(life_seconds)s::float8) FROM held WHERE %(life_seconds)s::float8 > 0
), sourced AS (
    INSERT INTO sources (
        source_id, task_id, sealed, host, path_sha256, issued_at, expires_at, expires_from, confidence)
    SELECT %(source_id)s, task_id, %(sealed)s, %(host)s, %(path_sha256)s, %(issued_at)s, %(expires_at)s,
           %(expires_from)s, %(confidence)s
    FROM held
    ON CONFLICT (source_id) DO NOTHING
)
INSERT INTO history (task_id, act, from_state, to_state, epoch)
SELECT task_id, 'refreshed', state, state, epoch FROM held LEFT JOIN life ON true
RETURNING task_id;
