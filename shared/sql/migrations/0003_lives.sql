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

CREATE FUNCTION count_life(of_provider text, seconds double precision) RETURNS void LANGUAGE sql AS $$
    INSERT INTO lives (provider, shortest_seconds)
    SELECT of_provider, seconds
    WHERE NOT EXISTS (SELECT FROM lives WHERE provider = of_provider AND shortest_seconds <= seconds)
    ON CONFLICT (provider) DO UPDATE
        SET shortest_seconds = least(lives.shortest_seconds, excluded.shortest_seconds), seen_at = statement_timestamp();
    WITH counting AS MATERIALIZED (
        -- Nobody waits for another's count: those who come while one counts are left out, which moves no percentile.
        SELECT date_trunc('hour', statement_timestamp()) AS hour
        WHERE pg_try_advisory_xact_lock(hashtext('recent_lives'), hashtext(of_provider))
    ), counted AS (
        INSERT INTO recent_lives (provider, hour, step, seen)
        SELECT of_provider, hour, life_step(seconds), 1 FROM counting
        ON CONFLICT (provider, hour, step) DO UPDATE SET seen = recent_lives.seen + 1
    )
    DELETE FROM recent_lives r USING counting
    WHERE r.provider = of_provider AND r.hour < counting.hour - interval '25 hours'
$$;
COMMENT ON FUNCTION count_life IS 'Counts the life of one link, in seconds, for its provider: the shortest so far, and those seen lately.';

CREATE INDEX tasks_urgent ON tasks (urgency) WHERE stage = 'download';

CREATE FUNCTION margin_before(ends_at timestamptz, since timestamptz) RETURNS interval IMMUTABLE LANGUAGE sql AS $$
    SELECT make_interval(secs => least(greatest(0.1 * extract(epoch FROM ends_at - since)::float8, 1.0), 60.0))
$$;
COMMENT ON FUNCTION margin_before IS 'The time before the end of a life that nothing is planned into: a tenth of it, from 1 to 60 seconds.';

CREATE FUNCTION is_at_risk(stage text, ready_at timestamptz, urgency timestamptz) RETURNS boolean STABLE LANGUAGE sql AS $$
    SELECT coalesce(stage = 'download' AND statement_timestamp() > urgency - 2 * margin_before(urgency, ready_at), false)
$$;
COMMENT ON FUNCTION is_at_risk IS 'Whether an output has no bytes yet with less than two margins left of its life, known or guessed.';

GRANT SELECT ON recent_lives TO
    outlast_ingest, outlast_downloader, outlast_verifier, outlast_promoter, outlast_sweeper, outlast_operator;
GRANT INSERT, UPDATE, DELETE ON recent_lives TO outlast_ingest, outlast_downloader;
