-- What further events bring: provenance, placeholders that an output takes over, objects as sources, and reviews.

ALTER TABLE tasks
    ADD COLUMN provenance jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN derived_from uuid[] NOT NULL DEFAULT '{}',
    ADD COLUMN object jsonb;
COMMENT ON COLUMN tasks.provenance IS 'What the producer says the output was made from, without any URL.';
COMMENT ON COLUMN tasks.derived_from IS 'Task ids of the assets that this one was made from.';
COMMENT ON COLUMN tasks.object IS 'Of an object of the input bucket: bucket, key, version_id and etag, as far as they were told.';

CREATE TABLE aliases (
    alias_id uuid PRIMARY KEY,
    task_id  uuid NOT NULL REFERENCES tasks
);
CREATE INDEX aliases_of_task ON aliases (task_id);
COMMENT ON TABLE aliases IS 'Computed ids of outputs that took over a row with another id: a placeholder''s, or that of the same object pinned otherwise.';

CREATE FUNCTION task_of(id uuid) RETURNS uuid STABLE LANGUAGE sql AS $$
    SELECT coalesce((SELECT a.task_id FROM aliases a WHERE a.alias_id = id), id)
$$;
COMMENT ON FUNCTION task_of IS 'The row that stands for a task id, be it computed by a producer or the row''s own.';

CREATE FUNCTION job_placeholder(id uuid) RETURNS uuid STABLE LANGUAGE sql AS $$
    SELECT t.task_id FROM tasks t WHERE t.task_id = id AND t.output_id = ''
$$;
COMMENT ON FUNCTION job_placeholder IS 'The placeholder of a job, by its computed id, while no output has taken it over.';

CREATE FUNCTION task_of_object(of_account text, of_object jsonb, of_processor text) RETURNS uuid STABLE LANGUAGE sql AS $$
    SELECT t.task_id FROM tasks t
    WHERE t.job_id = of_object ->> 'key' AND t.provider_account = of_object ->> 'bucket' AND t.account = of_account
      AND t.object IS NOT NULL AND t.processor_version = coalesce(of_processor, t.processor_version)
      AND CASE WHEN t.object ? 'version_id' AND of_object ? 'version_id'
               THEN t.object ->> 'version_id' = of_object ->> 'version_id'
               ELSE t.object ->> 'etag' = of_object ->> 'etag' END
    ORDER BY t.accepted_at, t.task_id LIMIT 1
$$;
COMMENT ON FUNCTION task_of_object IS 'The first task of an object and a version of a processor, null for any: by version where both are told, else by ETag.';

CREATE FUNCTION keep_task_names() RETURNS trigger LANGUAGE plpgsql SECURITY INVOKER AS $$
BEGIN
    IF OLD.output_id <> '' AND OLD.processor_version <> ''
       AND (NEW.output_id, NEW.processor_version) IS DISTINCT FROM (OLD.output_id, OLD.processor_version) THEN
        RAISE EXCEPTION 'only a placeholder takes the name of an output' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER tasks_names BEFORE UPDATE OF output_id, processor_version ON tasks
    FOR EACH ROW EXECUTE FUNCTION keep_task_names();

ALTER TABLE sources
    ALTER COLUMN sealed DROP NOT NULL,
    ADD COLUMN object jsonb,
    ADD CONSTRAINT a_source_is_a_link_or_an_object CHECK (num_nonnulls(sealed, object) = 1);
COMMENT ON COLUMN sources.object IS 'An object of the input bucket: bucket, key, and version_id or etag.';

ALTER TABLE events
    ADD COLUMN type text NOT NULL DEFAULT 'outlast.output.ready',
    ADD COLUMN subject_id uuid;
COMMENT ON COLUMN events.subject_id IS 'The computed id of what the event is about; null where it is task_id.';

ALTER TABLE history ADD COLUMN detail jsonb;
COMMENT ON COLUMN history.detail IS 'What an event said, redacted and bounded: a provider''s words, a review.';

CREATE TABLE reviews (
    review_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    task_id     uuid NOT NULL REFERENCES tasks,
    verdict     text NOT NULL CHECK (verdict IN ('approved', 'rejected')),
    reviewed_by text NOT NULL,
    reviewed_at timestamptz NOT NULL,
    note        text,
    received_at timestamptz NOT NULL DEFAULT statement_timestamp()
);
CREATE INDEX reviews_of_task ON reviews (task_id, reviewed_at DESC, review_id DESC);
COMMENT ON TABLE reviews IS 'Verdicts on assets; of several on one the newest holds.';

CREATE FUNCTION review_of(of_task uuid) RETURNS jsonb STABLE LANGUAGE sql AS $$
    SELECT jsonb_build_object('verdict', r.verdict, 'reviewed_by', r.reviewed_by, 'reviewed_at', r.reviewed_at)
    FROM reviews r WHERE r.task_id = of_task ORDER BY r.reviewed_at DESC, r.review_id DESC LIMIT 1
$$;
COMMENT ON FUNCTION review_of IS 'The verdict that holds for a task''s asset; null while there is none.';

GRANT SELECT ON aliases, reviews TO
    outlast_ingest, outlast_downloader, outlast_verifier, outlast_promoter, outlast_sweeper, outlast_operator,
    outlast_reader;
GRANT INSERT ON aliases, reviews TO outlast_ingest;
GRANT UPDATE (output_id, operation_id, attempt_id, variant, retention_class, display_name, promised_kind, expected,
              processor_version, provenance, derived_from, object, lease_id, lease_worker, leased_at)
    ON tasks TO outlast_ingest;
