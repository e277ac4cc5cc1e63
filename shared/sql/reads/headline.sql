-- headline: the figures that tell whether a link is about to outlive our patience.
SELECT (SELECT count(*) FROM tasks WHERE state IN ('output_ready', 'downloading', 'download_retry')) AS outputs_waiting,
       (SELECT extract(epoch FROM statement_timestamp() - min(ready_at))::float8 FROM tasks
        WHERE state IN ('output_ready', 'downloading', 'download_retry')) AS oldest_ready_seconds,
       (SELECT count(*) FROM tasks WHERE stage = 'download' AND urgency < statement_timestamp() + interval '2 minutes'
           AND is_at_risk(stage, ready_at, urgency)) AS tasks_at_risk,
       (SELECT coalesce(jsonb_object_agg(provider, jsonb_build_array(shortest_seconds, usual_short_life(provider))), '{}')
        FROM (SELECT provider, shortest_seconds FROM lives ORDER BY shortest_seconds LIMIT 100) l) AS lives,
       clock_timestamp() AS now,
       (SELECT count(*) FROM tasks WHERE state IN ('stored', 'complete') AND durable_uri IS NULL)
           AS complete_without_uri,
       (SELECT coalesce(jsonb_object_agg(state, n), '{}') FROM (
            SELECT state, count(*) AS n FROM tasks WHERE state NOT IN ('complete', 'abandoned') GROUP BY state) s)
           AS tasks_by_state;
