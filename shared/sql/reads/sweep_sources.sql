-- sweep_sources: of the next window of sources, those that nobody will use again: of a task that is over, or long dead.
WITH looked AS MATERIALIZED (
    SELECT source_id, task_id, expires_at, observed_expired_at FROM sources
    WHERE source_id > %(after)s::uuid ORDER BY source_id LIMIT %(limit)s
), dead AS (
    SELECT l.source_id, l.task_id FROM looked l JOIN tasks t USING (task_id)
    WHERE t.state IN ('complete', 'abandoned') AND t.state_since < %(over_before)s
       -- On its way a task may come back to its link, though that should be dead.
       OR t.state = 'needs_attention' AND least(l.expires_at, l.observed_expired_at) < %(dead_before)s
), reached AS (
    SELECT count(*) AS looked_at, (array_agg(source_id ORDER BY source_id DESC))[1] AS reached FROM looked
)
SELECT looked_at, reached, source_id, task_id FROM reached LEFT JOIN dead ON true ORDER BY source_id;
