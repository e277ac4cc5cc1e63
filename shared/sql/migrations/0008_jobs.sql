-- Providers' jobs: when each is asked for next, what it said, and where its record is.

CREATE TABLE jobs (
    job_key          uuid PRIMARY KEY,
    account          text NOT NULL,
    provider         text NOT NULL,
    provider_account text NOT NULL,
    job_id           text NOT NULL,
    model            text,
    sealed           bytea,
    started_at       timestamptz NOT NULL,
    due_at           timestamptz,
    asked            integer NOT NULL DEFAULT 0,
    troubles         integer NOT NULL DEFAULT 0,
    unknown          integer NOT NULL DEFAULT 0,
    unknown_since    timestamptz,
    asked_at         timestamptz,
    last_word        text,
    last_reason      text,
    reported_at      timestamptz
);
COMMENT ON TABLE jobs IS 'Jobs that are asked for until they are reported, and those whose record has an address of its own.';
COMMENT ON COLUMN jobs.job_key IS 'The task id of the job''s placeholder.';
COMMENT ON COLUMN jobs.sealed IS 'The address of the job''s record as an event gave it, sealed under the job''s key; null: the provider''s entry knows it.';
COMMENT ON COLUMN jobs.due_at IS 'When it is asked for next, or again if the asker vanishes; null: not any more.';
COMMENT ON COLUMN jobs.troubles IS 'Questions in a row that brought no word of the job.';
COMMENT ON COLUMN jobs.unknown IS 'Of the latest questions so many in a row were answered that there is no such job.';

CREATE INDEX jobs_due ON jobs (provider, account, due_at) WHERE due_at IS NOT NULL;

CREATE VIEW public_jobs AS
SELECT job_key, account, provider, provider_account, job_id, model, sealed IS NOT NULL AS has_address, started_at, due_at,
       asked, troubles, asked_at, last_word, last_reason, reported_at
FROM jobs;
COMMENT ON VIEW public_jobs IS 'What the questions to providers brought, without any address.';

GRANT SELECT, INSERT, UPDATE ON jobs TO outlast_ingest;
GRANT SELECT (job_key, sealed) ON jobs TO outlast_downloader;
GRANT SELECT ON public_jobs TO outlast_reader, outlast_operator;
