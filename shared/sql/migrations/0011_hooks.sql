-- What the hooks of the verifier say: flags of an output, outputs that are held for a person, and that person's word.

ALTER TABLE tasks ADD COLUMN flags text[] NOT NULL DEFAULT '{}' CHECK (cardinality(flags) <= 64);
COMMENT ON COLUMN tasks.flags IS 'What the hooks found in the staged bytes, as bounded words; a consumer of the asset is told them.';

GRANT UPDATE (flags) ON tasks TO outlast_verifier;
-- An operator who rejects what was held marks its bytes, and closes the task for good: its links are deleted.
GRANT UPDATE (rejected_sha256, rejected_reason) ON tasks TO outlast_operator;
GRANT DELETE ON sources TO outlast_operator;

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
       t.stage, t.urgency, t.flags
FROM tasks t;
