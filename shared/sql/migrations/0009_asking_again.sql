-- An operator has a provider asked again for a job that stopped before any of its outputs was known.

INSERT INTO edges (from_state, to_state, role) VALUES ('needs_attention', 'generating', 'outlast_operator');

GRANT UPDATE (ready_at) ON tasks TO outlast_operator;
GRANT SELECT (job_key), UPDATE (due_at, reported_at, troubles, unknown, unknown_since) ON jobs TO outlast_operator;
