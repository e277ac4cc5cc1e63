"""A table full of tasks, made by a few statements past the edges, as no act makes a hundred thousand in seconds."""

import psycopg

from tests.conftest import TestDatabase

# Nine of ten complete, as after a long quiet time; the rest stands in every other state.
FILL = """
    INSERT INTO tasks (
        task_id, download_key, account, provider, provider_account, job_id, output_id, operation_id, attempt_id,
        state, reason, source_lane, urgency, ready_at, accepted_at, state_since, deadline, wake_at,
        lease_id, lease_worker, leased_at,
        staged_bucket, staged_key, staged_size, h1, staged_at, h2, kind, facts, verifier_version, verified_at,
        durable_uri, size, h3, stored_at, completed_at)
    SELECT id, id::text, 'account-' || n %% 50, 'provider-' || n %% 7, 'default', 'job-' || n / 4, (n %% 4)::text,
           CASE WHEN n %% 5 = 0 THEN 'operation-' || n / 40 ELSE 'job-' || n / 4 END, '1',
           state, CASE WHEN state IN ('needs_attention', 'abandoned', 'download_retry') THEN
                      CASE n %% 3 WHEN 0 THEN 'url_expired' WHEN 1 THEN 'source_gone' ELSE 'not_media' END END,
           'lane-' || n %% 20, at + interval '1 hour', at, at, at, at + interval '1 hour',
           CASE WHEN state IN ('downloading', 'download_retry') THEN statement_timestamp() + interval '5 hours' END,
           CASE WHEN state = 'downloading' THEN gen_random_uuid() END,
           CASE WHEN state = 'downloading' THEN 'worker' END, CASE WHEN state = 'downloading' THEN at END,
           'staging', id::text, 7, repeat('a', 64), at, repeat('a', 64), 'image', '{}', 'v', at,
           's3://assets/' || id, 7, repeat('a', 64), at, CASE WHEN state = 'complete' THEN at END
    FROM (
        SELECT n, gen_random_uuid() AS id, statement_timestamp() - n * interval '1 second' AS at,
               CASE n %% 100 WHEN 1 THEN 'output_ready' WHEN 2 THEN 'output_ready' WHEN 3 THEN 'downloading'
                            WHEN 4 THEN 'download_retry' WHEN 5 THEN 'verifying' WHEN 6 THEN 'promoting'
                            WHEN 7 THEN 'stored' WHEN 8 THEN 'needs_attention' WHEN 9 THEN 'abandoned'
                            WHEN 10 THEN 'generating' ELSE 'complete' END AS state
        FROM generate_series(1, %(count)s) n) made
"""
FILL_STORIES = """
    INSERT INTO history (task_id, act, from_state, to_state, epoch)
    SELECT task_id, 'accept', 'new', 'output_ready', 0 FROM tasks;
    INSERT INTO claims (task_id, epoch, lease_id, stage, worker)
    SELECT task_id, 1, gen_random_uuid(), 'download', 'worker' FROM tasks;
    INSERT INTO events (account, source, event_id, body_sha256, task_id)
    SELECT account, 'tests', task_id::text, repeat('0', 64), task_id FROM tasks;
    INSERT INTO sources (source_id, task_id, sealed, host, path_sha256, expires_from, confidence)
    SELECT gen_random_uuid(), task_id, 'sealed', 'h', 'p', 'none', 'unknown' FROM tasks WHERE state <> 'complete';
    INSERT INTO jobs (job_key, account, provider, provider_account, job_id, started_at)
    SELECT task_id, account, provider, provider_account, job_id, ready_at FROM tasks;
    INSERT INTO rejected (task_id, epoch, account, bucket, key, size, sha256, reason, rejected_at)
    SELECT task_id, 1, account, 'staging', task_id::text, 7, repeat('a', 64), 'not_media', accepted_at FROM tasks;
    INSERT INTO assets (task_id, bucket, key, status, kind, content_type, size, sha256, facts, durable_at)
    SELECT task_id, 'assets', task_id::text, 'durable', 'image', 'image/png', 7, repeat('a', 64), '{}', stored_at
    FROM tasks WHERE state = 'complete';
    INSERT INTO reverifications (task_id, verifier_version, verdict)
    SELECT task_id, 'v', CASE WHEN job_id LIKE '%99' THEN 'lost' ELSE 'same' END FROM tasks WHERE state = 'complete';
    INSERT INTO lives (provider, shortest_seconds) SELECT DISTINCT provider, 60 FROM tasks;
"""


def fill(database: TestDatabase, count: int) -> None:
    """Add so many tasks with a short story each."""
    with psycopg.connect(database.url(), autocommit=True) as connection:
        # The trigger knows no role that makes complete tasks from nothing.
        connection.execute("SET session_replication_role = replica")
        connection.execute(FILL, {"count": count})
        connection.execute(FILL_STORIES)
        connection.execute("VACUUM ANALYZE")
