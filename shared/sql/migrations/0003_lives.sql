-- How long links lived lately, and which tasks are at risk.

CREATE TABLE recent_lives (
    provider text NOT NULL,
    hour     timestamptz NOT NULL,
    step     integer NOT NULL,
    seen     integer NOT NULL CHECK (seen > 0),
    PRIMARY KEY (provider, hour, step)
);
COMMENT ON TABLE recent_lives IS 'Link lives seen per provider and hour, in seconds, counted in steps of a tenth: step n is from 1.1^n to 1.1^(n+1).';

CREATE FUNCTION life_step(seconds double precision) RETURNS integer IMMUTABLE LANGUAGE sql AS $$
    SELECT floor(ln(greatest(seconds, 1.0)) / ln(1.1::float8))::integer
$$;
COMMENT ON FUNCTION life_step IS 'The step in which a life of so many seconds is counted; under a second counts as a second.';

CREATE FUNCTION usual_short_life(of_provider text) RETURNS double precision STABLE LANGUAGE sql AS $$
    SELECT 1.1::float8 ^ step
    FROM (SELECT step, sum(sum(seen)) OVER (ORDER BY step) AS so_far, sum(sum(seen)) OVER () AS whole
          FROM recent_lives
          WHERE provider = of_provider AND hour > statement_timestamp() - interval '24 hours'
          GROUP BY step) counted
    -- The shortest one never decides alone, as one odd link says little about the others.
    WHERE so_far >= greatest(0.05 * whole, least(2, whole))
    ORDER BY step LIMIT 1
$$;
COMMENT ON FUNCTION usual_short_life IS 'The 5th percentile of the lives seen in 24 hours, in seconds, rounded down by up to a tenth; null where none was seen.';

CREATE FUNCTION guessed_life(of_provider text) RETURNS interval STABLE LANGUAGE sql AS $$
    SELECT make_interval(secs => least(3600.0, greatest(60.0, coalesce(usual_short_life(of_provider), 3600.0))))
$$;
COMMENT ON FUNCTION guessed_life IS 'The life by which a link is ordered that does not tell its own: what is usual at its provider, from a minute to an hour.';

CREATE INDEX tasks_urgent ON tasks (urgency) WHERE stage = 'download';

CREATE FUNCTION is_at_risk(stage text, ready_at timestamptz, urgency timestamptz) RETURNS boolean STABLE LANGUAGE sql AS $$
    SELECT coalesce(stage = 'download' AND statement_timestamp() > urgency - make_interval(
        secs => least(greatest(0.2 * extract(epoch FROM urgency - ready_at)::float8, 2.0), 120.0)), false)
$$;
COMMENT ON FUNCTION is_at_risk IS 'Whether an output has no bytes yet with less than two margins left of its life, known or guessed.';

CREATE OR REPLACE VIEW public_tasks AS
SELECT t.task_id, t.account, t.provider, t.job_id, t.output_id, t.state, coalesce(t.kind, t.promised_kind) AS kind,
       t.reason, t.durable_uri, t.size, t.h3 AS sha256, t.facts AS media, t.display_name, t.retention_class,
       t.ready_at, t.accepted_at, t.url_expires_at, t.deadline, t.stored_at, t.completed_at,
       t.state_since AS updated_at, t.tries, t.refreshes,
       CASE WHEN t.lease_id IS NULL THEN t.wake_at END AS next_try_at,
       (SELECT c.evidence FROM claims c WHERE c.task_id = t.task_id AND c.reason IS NOT NULL
        ORDER BY c.epoch DESC LIMIT 1) AS evidence,
       is_at_risk(t.stage, t.ready_at, t.urgency) AS at_risk
FROM tasks t;

GRANT SELECT ON recent_lives TO
    outlast_ingest, outlast_downloader, outlast_verifier, outlast_promoter, outlast_sweeper, outlast_operator;
GRANT INSERT, UPDATE, DELETE ON recent_lives TO outlast_ingest, outlast_downloader;
