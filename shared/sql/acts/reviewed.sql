-- reviewed: records a verdict on an asset of the account that the event speaks for.
WITH target AS (
    SELECT task_id, state, epoch FROM tasks WHERE task_id = task_of(%(subject_id)s) AND account = %(account)s
), fresh AS (
    INSERT INTO events (account, source, event_id, type, body_sha256, task_id, subject_id)
    SELECT %(account)s, %(source)s, %(event_id)s, %(event_type)s, %(body_sha256)s, task_id, %(subject_id)s FROM target
    ON CONFLICT (account, source, event_id) DO NOTHING
    RETURNING task_id
), recorded AS (
    SELECT type = %(event_type)s AND coalesce(subject_id, task_id) = %(subject_id)s AS same FROM events
    WHERE account = %(account)s AND source = %(source)s AND event_id = %(event_id)s
), kept AS (
    INSERT INTO reviews (task_id, verdict, reviewed_by, reviewed_at, note)
    SELECT task_id, %(verdict)s, %(reviewed_by)s, %(reviewed_at)s, %(note)s FROM fresh
), noted AS (
    INSERT INTO history (task_id, act, from_state, to_state, epoch, detail)
    SELECT target.task_id, 'reviewed', target.state, target.state, target.epoch, %(detail)s::jsonb FROM fresh, target
)
SELECT CASE WHEN EXISTS (SELECT FROM fresh) THEN 'accepted'
            WHEN (SELECT same FROM recorded) THEN 'duplicate'
            WHEN EXISTS (SELECT FROM recorded) THEN 'id_conflict'
            WHEN NOT EXISTS (SELECT FROM target) THEN 'unknown_task' END AS outcome,
       (SELECT task_id FROM target) AS task_id, (SELECT state FROM target) AS state;
