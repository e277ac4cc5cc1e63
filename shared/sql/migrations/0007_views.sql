-- What readers may see: how a task came to stand where it stands, and the orders in which many tasks are read.

CREATE INDEX tasks_newest ON tasks (accepted_at, task_id);
CREATE INDEX tasks_by_state ON tasks (state, accepted_at, task_id) WHERE state <> 'complete';
CREATE INDEX tasks_by_job ON tasks (job_id);
CREATE INDEX tasks_by_operation ON tasks (operation_id) WHERE operation_id <> job_id;
CREATE INDEX tasks_completed ON tasks (completed_at) WHERE state = 'complete';

CREATE OR REPLACE VIEW public_tasks AS
SELECT t.task_id, t.account, t.provider, t.job_id, t.output_id, t.state, coalesce(t.kind, t.promised_kind) AS kind,
       t.reason, t.durable_uri, t.size, t.h3 AS sha256, t.facts AS media, t.display_name, t.retention_class,
       t.ready_at, t.accepted_at, t.url_expires_at, t.deadline, t.stored_at, t.completed_at,
       t.state_since AS updated_at, t.tries, t.refreshes,
       CASE WHEN t.lease_id IS NULL THEN t.wake_at END AS next_try_at,
       (SELECT c.evidence FROM claims c WHERE c.task_id = t.task_id AND c.reason IS NOT NULL
        ORDER BY c.epoch DESC LIMIT 1) AS evidence,
       is_at_risk(t.stage, t.ready_at, t.urgency) AS at_risk,
       t.provider_account, t.operation_id, t.attempt_id, t.variant, t.processor_version, t.derived_from, t.provenance,
       t.stage, t.urgency
FROM tasks t;

CREATE VIEW public_events AS
SELECT task_id, account, type, source, event_id, received_at FROM events;
COMMENT ON VIEW public_events IS 'The events about each task, without their bodies.';

CREATE VIEW public_sources AS
SELECT source_id, task_id, host, object, issued_at, expires_at, expires_from, confidence, observed_expired_at, added_at,
       added_by
FROM sources;
COMMENT ON VIEW public_sources IS 'The ways to the bytes of each task, without any link; none is left of a complete task.';

CREATE VIEW public_claims AS
SELECT task_id, epoch, stage, worker, started_at, ended_at, outcome, reason, evidence FROM claims;
COMMENT ON VIEW public_claims IS 'The leased runs of each task with what they saw, without their lease.';

CREATE VIEW public_history AS
SELECT history_id, task_id, at, act, from_state, to_state, role, epoch, reason, detail FROM history;
COMMENT ON VIEW public_history IS 'Every act on each task.';

CREATE VIEW public_lives AS
SELECT provider, shortest_seconds, seen_at FROM lives;
COMMENT ON VIEW public_lives IS 'The shortest life of a link seen so far, per provider.';

GRANT SELECT ON public_events, public_sources, public_claims, public_history, public_lives TO
    outlast_reader, outlast_operator;
-- The function usual_short_life reads it under its caller's role.
GRANT SELECT ON recent_lives TO outlast_reader;
