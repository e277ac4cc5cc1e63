-- headline: the figures that tell whether a link is about to outlive our patience.
SELECT (SELECT count(*) FROM tasks WHERE state IN ('output_ready', 'downloading', 'download_retry')) AS outputs_waiting,
       (SELECT extract(epoch FROM statement_timestamp() - min(ready_at))::float8 FROM tasks
        WHERE state IN ('output_ready', 'downloading', 'download_retry')) AS oldest_ready_seconds,
       (SELECT min(shortest_seconds) FROM lives) AS shortest_life_seconds,
       (SELECT count(*) FROM tasks WHERE state IN ('stored', 'complete') AND durable_uri IS NULL)
           AS complete_without_uri,
       (SELECT coalesce(jsonb_object_agg(state, n), '{}') FROM (
            SELECT state, count(*) AS n FROM tasks WHERE state NOT IN ('complete', 'abandoned') GROUP BY state) s)
           AS tasks_by_state;
