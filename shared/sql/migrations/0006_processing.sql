-- The ledger of processors: one row per asset and version of a processor, leased like a task.

CREATE TABLE processing (
    task_id           uuid NOT NULL REFERENCES tasks,
    version_id        text NOT NULL DEFAULT '',
    sha256            text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    processor_version text NOT NULL CHECK (processor_version <> ''),

    state             text NOT NULL CHECK (state IN (
        'received', 'validating', 'processing', 'completed', 'rejected', 'failed')),
    state_since       timestamptz NOT NULL DEFAULT statement_timestamp(),
    received_at       timestamptz NOT NULL DEFAULT statement_timestamp(),
    finished_at       timestamptz,
    reason            text,
    detail            text,

    lease_id          uuid,
    lease_worker      text,
    lease_ends_at     timestamptz,
    epoch             integer NOT NULL DEFAULT 0,
    tries             integer NOT NULL DEFAULT 0,

    result_bucket     text,
    result_key        text,
    result_version    text,
    result_size       bigint CHECK (result_size >= 0),
    result_sha256     text CHECK (result_sha256 ~ '^[0-9a-f]{64}$'),
    result_type       text,

    PRIMARY KEY (task_id, version_id, sha256, processor_version),
    CONSTRAINT lease_is_whole CHECK (num_nonnulls(lease_id, lease_worker, lease_ends_at) IN (0, 3)),
    CONSTRAINT a_run_is_leased CHECK ((lease_id IS NOT NULL) = (state IN ('validating', 'processing'))),
    CONSTRAINT an_end_has_its_time CHECK ((finished_at IS NOT NULL) = (state IN ('completed', 'rejected', 'failed'))),
    CONSTRAINT a_refusal_has_a_reason CHECK (state NOT IN ('rejected', 'failed') OR reason IS NOT NULL),
    CONSTRAINT completed_has_its_result CHECK (
        num_nonnulls(result_bucket, result_key, result_size, result_sha256, result_type)
        = CASE WHEN state = 'completed' THEN 5 ELSE 0 END)
);
COMMENT ON TABLE processing IS 'What each version of a processor made of an asset; task_id and sha256 are what the result is derived from.';
COMMENT ON COLUMN processing.version_id IS 'The version of the asset''s object; empty in a bucket without versions.';
COMMENT ON COLUMN processing.epoch IS 'Number of the run; with lease_id it is the fencing token.';
COMMENT ON COLUMN processing.tries IS 'Runs that ended with an error of their own, or vanished without a word.';

CREATE FUNCTION lease_of_processing_lives(lease_ends_at timestamptz) RETURNS boolean STABLE LANGUAGE sql AS $$
    SELECT lease_ends_at IS NOT NULL AND (lease_ends_at > statement_timestamp()
        OR pg_postmaster_start_time() > statement_timestamp() - interval '30 seconds')
$$;
COMMENT ON FUNCTION lease_of_processing_lives IS 'Whether nobody else may begin; after a start of the server there are 30 seconds to renew what was held before.';

CREATE VIEW public_processing AS
SELECT task_id, version_id, sha256, processor_version, state, epoch, tries, reason, detail, lease_worker AS worker,
       received_at, state_since, finished_at,
       result_bucket, result_key, result_version, result_size, result_sha256, result_type
FROM processing;
COMMENT ON VIEW public_processing IS 'What each version of a processor made of each asset, without any lease.';

GRANT SELECT ON public_processing TO outlast_reader, outlast_operator;
-- A row that an operator deletes is processed anew with the next message about its asset.
GRANT SELECT (task_id, version_id, sha256, processor_version), DELETE ON processing TO outlast_operator;
GRANT USAGE ON SCHEMA public TO outlast_processor;
GRANT SELECT ON public_tasks TO outlast_processor;
GRANT SELECT, INSERT ON processing TO outlast_processor;
GRANT UPDATE (state, state_since, finished_at, reason, detail, lease_id, lease_worker, lease_ends_at, epoch, tries,
              result_bucket, result_key, result_version, result_size, result_sha256, result_type)
    ON processing TO outlast_processor;
