-- status: how many tasks stand in each state that is not final, up to a limit, and since when the oldest output is ready.
SELECT s.state, c.tasks, extract(epoch FROM statement_timestamp() - oldest.ready_at)::float8 AS oldest_seconds
FROM unnest(ARRAY['generating', 'output_ready', 'downloading', 'download_retry', 'verifying', 'promoting', 'stored',
                  'needs_attention']) WITH ORDINALITY AS s (state, place)
CROSS JOIN LATERAL (
    SELECT count(*) AS tasks FROM (
        SELECT FROM public_tasks t WHERE t.state = s.state AND t.state NOT IN ('complete', 'abandoned') LIMIT %(most)s
    ) few) c
LEFT JOIN LATERAL (
    SELECT t.ready_at FROM public_tasks t WHERE t.state = s.state AND t.state NOT IN ('complete', 'abandoned')
    ORDER BY t.ready_at LIMIT 1) oldest ON true
ORDER BY s.place;
