-- announce: takes due announcements for 30 seconds, so that one announcer at a time sends each.
UPDATE tasks t
SET announce_at = statement_timestamp() + interval '30 seconds'
FROM (SELECT task_id FROM tasks
      WHERE announce_at <= statement_timestamp() AND state IN ('complete', 'needs_attention')
      ORDER BY announce_at LIMIT 50 FOR UPDATE SKIP LOCKED) due
WHERE t.task_id = due.task_id
RETURNING t.task_id, t.account, t.provider, t.provider_account, t.job_id, t.output_id, t.operation_id, t.attempt_id,
          t.variant, t.retention_class, t.processor_version, t.derived_from, t.provenance, t.state, t.reason,
          t.kind, t.facts, t.flags, t.durable_uri, t.size, t.h3, t.display_name, t.traceparent, t.ready_at, t.completed_at,
          (SELECT a.version_id FROM assets a WHERE a.task_id = t.task_id) AS version_id,
          review_of(t.task_id) AS review, t.announce_at;
