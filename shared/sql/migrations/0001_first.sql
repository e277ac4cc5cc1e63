-- The first schema: tasks and their sources, events, claims, history and assets; the edges and the trigger that keeps them.

CREATE TABLE edges (
    from_state text NOT NULL,
    to_state   text NOT NULL,
    role       text NOT NULL,
    PRIMARY KEY (from_state, to_state, role)
);
COMMENT ON TABLE edges IS 'Every allowed change of a task; from_state ''new'' is a birth, a self-edge is a claim, renewal, release, wake or announcement.';

INSERT INTO edges (from_state, to_state, role) VALUES
    ('new',             'generating',      'outlast_ingest'),
    ('new',             'output_ready',    'outlast_ingest'),
    ('new',             'abandoned',       'outlast_ingest'),
    ('generating',      'generating',      'outlast_ingest'),
    ('generating',      'output_ready',    'outlast_ingest'),
    ('generating',      'needs_attention', 'outlast_ingest'),
    ('generating',      'abandoned',       'outlast_ingest'),
    ('output_ready',    'output_ready',    'outlast_ingest'),
    ('downloading',     'downloading',     'outlast_ingest'),
    ('download_retry',  'download_retry',  'outlast_ingest'),
    ('complete',        'complete',        'outlast_ingest'),
    ('needs_attention', 'needs_attention', 'outlast_ingest'),
    ('needs_attention', 'output_ready',    'outlast_ingest'),
    ('abandoned',       'output_ready',    'outlast_ingest'),
    ('output_ready',    'downloading',     'outlast_downloader'),
    ('downloading',     'downloading',     'outlast_downloader'),
    ('downloading',     'download_retry',  'outlast_downloader'),
    ('downloading',     'verifying',       'outlast_downloader'),
    ('downloading',     'needs_attention', 'outlast_downloader'),
    ('downloading',     'abandoned',       'outlast_downloader'),
    ('download_retry',  'download_retry',  'outlast_downloader'),
    ('download_retry',  'downloading',     'outlast_downloader'),
    ('verifying',       'verifying',       'outlast_verifier'),
    ('verifying',       'promoting',       'outlast_verifier'),
    ('verifying',       'download_retry',  'outlast_verifier'),
    ('verifying',       'needs_attention', 'outlast_verifier'),
    ('promoting',       'promoting',       'outlast_promoter'),
    ('promoting',       'stored',          'outlast_promoter'),
    ('promoting',       'download_retry',  'outlast_promoter'),
    ('promoting',       'needs_attention', 'outlast_promoter'),
    ('stored',          'stored',          'outlast_promoter'),
    ('stored',          'complete',        'outlast_promoter'),
    ('stored',          'needs_attention', 'outlast_promoter'),
    ('complete',        'complete',        'outlast_promoter'),
    ('needs_attention', 'needs_attention', 'outlast_promoter'),
    ('needs_attention', 'output_ready',    'outlast_operator'),
    ('needs_attention', 'verifying',       'outlast_operator'),
    ('needs_attention', 'promoting',       'outlast_operator'),
    ('needs_attention', 'abandoned',       'outlast_operator'),
    ('generating',      'abandoned',       'outlast_operator'),
    ('output_ready',    'abandoned',       'outlast_operator'),
    ('download_retry',  'abandoned',       'outlast_operator');

CREATE TABLE tasks (
    task_id           uuid PRIMARY KEY,
    download_key      text NOT NULL,
    account           text NOT NULL CHECK (account ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    provider          text NOT NULL,
    provider_account  text NOT NULL,
    job_id            text NOT NULL,
    output_id         text NOT NULL,
    operation_id      text NOT NULL,
    attempt_id        text NOT NULL,
    processor_version text NOT NULL DEFAULT 'none',
    variant           text,
    retention_class   text NOT NULL DEFAULT 'original',
    display_name      text,
    promised_kind     text CHECK (promised_kind IN ('video', 'image', 'audio', 'pdf', 'archive')),
    expected          jsonb NOT NULL DEFAULT '{}',
    traceparent       text,

    state             text NOT NULL CHECK (state IN (
        'generating', 'output_ready', 'downloading', 'download_retry', 'verifying',
        'promoting', 'stored', 'complete', 'needs_attention', 'abandoned')),
    state_since       timestamptz NOT NULL DEFAULT statement_timestamp(),
    reason            text,
    source_lane       text NOT NULL,
    urgency           timestamptz NOT NULL,
    stage             text GENERATED ALWAYS AS (CASE
        WHEN state IN ('output_ready', 'downloading', 'download_retry') THEN 'download'
        WHEN state = 'verifying' THEN 'verify'
        WHEN state IN ('promoting', 'stored') THEN 'promote' END) STORED,
    lane              text GENERATED ALWAYS AS (CASE
        WHEN state IN ('output_ready', 'downloading', 'download_retry') THEN source_lane
        ELSE '*' END) STORED,
    order_by          timestamptz GENERATED ALWAYS AS (CASE
        WHEN state IN ('output_ready', 'downloading', 'download_retry') THEN urgency
        WHEN state = 'verifying' THEN staged_at
        WHEN state IN ('promoting', 'stored') THEN verified_at END) STORED,
    wake_at           timestamptz,

    lease_id          uuid,
    lease_worker      text,
    leased_at         timestamptz,
    epoch             integer NOT NULL DEFAULT 0,
    tries             integer NOT NULL DEFAULT 0,
    refreshes         integer NOT NULL DEFAULT 0,
    verifications     integer NOT NULL DEFAULT 0,
    placements        integer NOT NULL DEFAULT 0,
    strikes           integer NOT NULL DEFAULT 0,

    accepted_at       timestamptz NOT NULL DEFAULT statement_timestamp(),
    ready_at          timestamptz NOT NULL,
    url_expires_at    timestamptz,
    deadline          timestamptz,
    sources_added     integer NOT NULL DEFAULT 0,

    staged_bucket     text,
    staged_key        text,
    staged_version    text,
    staged_etag       text,
    staged_size       bigint CHECK (staged_size > 0),
    h1                text CHECK (h1 ~ '^[0-9a-f]{64}$'),
    staged_at         timestamptz,
    unproven_sha256   text,
    rejected_sha256   text,
    rejected_reason   text,

    h2                text CHECK (h2 ~ '^[0-9a-f]{64}$'),
    kind              text CHECK (kind IN ('video', 'image', 'audio', 'pdf', 'archive')),
    facts             jsonb,
    verifier_version  text,
    verified_at       timestamptz,

    durable_uri       text,
    size              bigint,
    h3                text CHECK (h3 ~ '^[0-9a-f]{64}$'),
    stored_at         timestamptz,
    completed_at      timestamptz,

    announce_at       timestamptz,
    announced_at      timestamptz,

    CONSTRAINT lease_is_whole CHECK (
        num_nonnulls(lease_id, lease_worker, leased_at) IN (0, 3)
        AND (lease_id IS NULL OR wake_at IS NOT NULL)),
    CONSTRAINT lease_has_a_worker_state CHECK (
        lease_id IS NULL OR state IN ('generating', 'downloading', 'verifying', 'promoting', 'stored')),
    CONSTRAINT downloading_is_leased CHECK (state <> 'downloading' OR lease_id IS NOT NULL),
    CONSTRAINT staged_onward_has_bytes CHECK (
        state NOT IN ('verifying', 'promoting', 'stored', 'complete')
        OR num_nulls(staged_bucket, staged_key, staged_size, h1, staged_at) = 0),
    CONSTRAINT proven_onward_has_proof CHECK (
        state NOT IN ('promoting', 'stored', 'complete')
        OR (num_nulls(h2, kind, facts, verifier_version, verified_at) = 0 AND h2 = h1)),
    CONSTRAINT stored_is_durable_and_proven CHECK (
        state NOT IN ('stored', 'complete')
        OR (num_nulls(durable_uri, size, h3, stored_at) = 0 AND durable_uri ~ '^s3://[^/]+/.+'
            AND size = staged_size AND h3 = h2 AND h2 = h1)),
    CONSTRAINT complete_has_its_time CHECK (state <> 'complete' OR completed_at IS NOT NULL),
    CONSTRAINT a_stop_has_a_reason CHECK (
        state NOT IN ('needs_attention', 'abandoned') OR reason IS NOT NULL)
);
COMMENT ON COLUMN tasks.wake_at IS 'When the row must be looked at: null = claimable now; else a retry''s time or the lease''s end.';
COMMENT ON COLUMN tasks.download_key IS 'Who owns the output and what the provider calls it; task_id is its UUIDv5.';
COMMENT ON COLUMN tasks.sources_added IS 'Sources that came after the first; a claim that gives up compares it, so that no fresh link is overlooked.';
COMMENT ON COLUMN tasks.order_by IS 'Order of claims in a stage: by urgency while the link lives, then first in, first out.';
COMMENT ON COLUMN tasks.urgency IS 'Order in the download stage: the deadline, or an estimate where the life is unknown.';
COMMENT ON COLUMN tasks.deadline IS 'The last instant at which any known way can still give the bytes; null = unknown.';

CREATE INDEX tasks_claimable ON tasks (stage, lane, order_by) WHERE wake_at IS NULL AND stage IS NOT NULL;
CREATE INDEX tasks_to_wake ON tasks (stage, wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX tasks_struck ON tasks (stage) WHERE strikes > 0 AND lease_id IS NOT NULL;
CREATE INDEX tasks_to_announce ON tasks (announce_at) WHERE announce_at IS NOT NULL;
CREATE INDEX tasks_open ON tasks (state, ready_at) WHERE state NOT IN ('complete', 'abandoned');
CREATE INDEX tasks_false_complete ON tasks (task_id)
    WHERE state IN ('stored', 'complete') AND durable_uri IS NULL;
CREATE INDEX tasks_by_account ON tasks (account, accepted_at);

CREATE TABLE lanes (
    stage text NOT NULL,
    lane  text NOT NULL,
    PRIMARY KEY (stage, lane)
);
COMMENT ON TABLE lanes IS 'The lanes of a stage, so that a claim probes one index position per lane.';
INSERT INTO lanes (stage, lane) VALUES ('verify', '*'), ('promote', '*');

CREATE TABLE lives (
    provider         text PRIMARY KEY,
    shortest_seconds double precision NOT NULL CHECK (shortest_seconds > 0),
    seen_at          timestamptz NOT NULL DEFAULT statement_timestamp()
);
COMMENT ON TABLE lives IS 'The shortest link life seen so far, per provider, in seconds.';

CREATE TABLE sources (
    source_id           uuid PRIMARY KEY,
    task_id             uuid NOT NULL REFERENCES tasks,
    sealed              bytea NOT NULL,
    host                text NOT NULL,
    path_sha256         text NOT NULL,
    issued_at           timestamptz,
    expires_at          timestamptz,
    expires_from        text NOT NULL,
    confidence          text NOT NULL,
    observed_expired_at timestamptz,
    added_at            timestamptz NOT NULL DEFAULT statement_timestamp(),
    added_by            text NOT NULL DEFAULT current_user
);
CREATE INDEX sources_of_task ON sources (task_id, added_at DESC);
COMMENT ON COLUMN sources.sealed IS 'The URL, sealed with AES-256-GCM under task and source id.';

CREATE TABLE events (
    account     text NOT NULL,
    source      text NOT NULL,
    event_id    text NOT NULL,
    body_sha256 text NOT NULL,
    task_id     uuid NOT NULL,
    received_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    PRIMARY KEY (account, source, event_id)
);
CREATE INDEX events_of_task ON events (task_id);

CREATE TABLE rejected_events (
    account      text NOT NULL,
    body_sha256  text NOT NULL,
    body_bytes   bigint NOT NULL,
    reason       text NOT NULL,
    detail       text NOT NULL,
    times        integer NOT NULL DEFAULT 1,
    first_at     timestamptz NOT NULL DEFAULT statement_timestamp(),
    last_at      timestamptz NOT NULL DEFAULT statement_timestamp(),
    announce_at  timestamptz DEFAULT statement_timestamp(),
    announced_at timestamptz,
    PRIMARY KEY (account, body_sha256)
);
CREATE INDEX rejected_events_to_announce ON rejected_events (announce_at) WHERE announce_at IS NOT NULL;
COMMENT ON TABLE rejected_events IS 'Intake bodies that are no event, told by digest and fault, never by content.';

CREATE TABLE redeliveries (
    body_sha256 text PRIMARY KEY,
    times       integer NOT NULL,
    last_at     timestamptz NOT NULL DEFAULT statement_timestamp()
);
COMMENT ON TABLE redeliveries IS 'Redelivered intake bodies whose handling has not ended yet; a row that grows names a body that kills its reader.';

CREATE TABLE claims (
    task_id     uuid NOT NULL REFERENCES tasks,
    epoch       integer NOT NULL,
    lease_id    uuid NOT NULL UNIQUE,
    stage       text NOT NULL,
    worker      text NOT NULL,
    started_at  timestamptz NOT NULL DEFAULT statement_timestamp(),
    ended_at    timestamptz,
    outcome     text,
    reason      text,
    evidence    jsonb NOT NULL DEFAULT '{}',
    staging_key text,
    PRIMARY KEY (task_id, epoch)
);

CREATE TABLE history (
    history_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    task_id    uuid NOT NULL REFERENCES tasks,
    at         timestamptz NOT NULL DEFAULT statement_timestamp(),
    act        text NOT NULL,
    from_state text NOT NULL,
    to_state   text NOT NULL,
    role       text NOT NULL DEFAULT current_user,
    epoch      integer NOT NULL,
    reason     text
);
CREATE INDEX history_of_task ON history (task_id, history_id);

CREATE TABLE assets (
    task_id      uuid PRIMARY KEY REFERENCES tasks,
    bucket       text NOT NULL,
    key          text NOT NULL,
    version_id   text,
    etag         text,
    status       text NOT NULL CHECK (status IN ('placing', 'durable')),
    kind         text NOT NULL,
    content_type text NOT NULL,
    size         bigint NOT NULL,
    sha256       text NOT NULL,
    facts        jsonb NOT NULL,
    duplicate_of uuid REFERENCES assets,
    placing_at   timestamptz NOT NULL DEFAULT statement_timestamp(),
    durable_at   timestamptz,
    lost_at      timestamptz,
    UNIQUE (bucket, key),
    CHECK (status <> 'durable' OR durable_at IS NOT NULL)
);
CREATE INDEX assets_by_digest ON assets (sha256);

CREATE FUNCTION keep_task_edges() RETURNS trigger LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
    was    text := CASE TG_OP WHEN 'INSERT' THEN 'new' ELSE OLD.state END;
    wanted text := CASE TG_OP WHEN 'DELETE' THEN 'gone' ELSE NEW.state END;
BEGIN
    IF NOT EXISTS (SELECT FROM edges WHERE from_state = was AND to_state = wanted AND role = current_user) THEN
        RAISE EXCEPTION 'role % may not move a task from % to %', current_user, was, wanted
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_OP <> 'UPDATE' THEN
        RETURN NEW;
    END IF;
    IF (NEW.task_id, NEW.download_key) IS DISTINCT FROM (OLD.task_id, OLD.download_key) THEN
        RAISE EXCEPTION 'the identity of a task never changes' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.lease_id IS NOT NULL AND NEW.lease_id IS DISTINCT FROM OLD.lease_id THEN
        IF NEW.epoch <> OLD.epoch + 1 THEN
            RAISE EXCEPTION 'a new lease takes the next epoch' USING ERRCODE = 'check_violation';
        END IF;
    ELSIF NEW.epoch <> OLD.epoch THEN
        RAISE EXCEPTION 'the epoch moves only with a new lease' USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.state = 'complete'
       AND (NEW.durable_uri, NEW.size, NEW.h3) IS DISTINCT FROM (OLD.durable_uri, OLD.size, OLD.h3) THEN
        RAISE EXCEPTION 'a complete task keeps its asset' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.state <> OLD.state THEN
        NEW.state_since := statement_timestamp();
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER tasks_edges BEFORE INSERT OR UPDATE OR DELETE ON tasks
    FOR EACH ROW EXECUTE FUNCTION keep_task_edges();

CREATE VIEW public_tasks AS
SELECT t.task_id, t.account, t.provider, t.job_id, t.output_id, t.state, coalesce(t.kind, t.promised_kind) AS kind,
       t.reason, t.durable_uri, t.size, t.h3 AS sha256, t.facts AS media, t.display_name, t.retention_class,
       t.ready_at, t.accepted_at, t.url_expires_at, t.deadline, t.stored_at, t.completed_at,
       t.state_since AS updated_at, t.tries, t.refreshes,
       CASE WHEN t.lease_id IS NULL THEN t.wake_at END AS next_try_at,
       (SELECT c.evidence FROM claims c WHERE c.task_id = t.task_id AND c.reason IS NOT NULL
        ORDER BY c.epoch DESC LIMIT 1) AS evidence
FROM tasks t;
COMMENT ON VIEW public_tasks IS 'What anyone with read rights may know of a task.';

GRANT USAGE ON SCHEMA public TO
    outlast_ingest, outlast_downloader, outlast_verifier, outlast_promoter, outlast_sweeper, outlast_operator, outlast_reader;
GRANT SELECT ON edges, lanes, lives, tasks, public_tasks TO
    outlast_ingest, outlast_downloader, outlast_verifier, outlast_promoter, outlast_sweeper, outlast_operator;
GRANT SELECT ON public_tasks TO outlast_reader;
GRANT SELECT, INSERT ON claims, history TO outlast_downloader, outlast_verifier, outlast_promoter;
GRANT UPDATE (ended_at, outcome, reason, evidence, staging_key) ON claims TO
    outlast_downloader, outlast_verifier, outlast_promoter;

GRANT INSERT ON tasks, events, history, lanes, lives, rejected_events, redeliveries TO outlast_ingest;
GRANT SELECT ON events, rejected_events, redeliveries TO outlast_ingest;
GRANT UPDATE ON rejected_events, redeliveries, lives TO outlast_ingest;
GRANT DELETE ON redeliveries TO outlast_ingest;
GRANT INSERT ON sources TO outlast_ingest;
GRANT UPDATE (state, reason, source_lane, urgency, wake_at, tries, refreshes, verifications, placements, strikes,
              ready_at, url_expires_at, deadline, announce_at, sources_added, unproven_sha256, rejected_sha256, rejected_reason)
    ON tasks TO outlast_ingest;

GRANT SELECT, INSERT ON sources TO outlast_downloader;
GRANT UPDATE (observed_expired_at) ON sources TO outlast_downloader;
GRANT INSERT, UPDATE ON lives TO outlast_downloader;
GRANT UPDATE (state, reason, urgency, wake_at, lease_id, lease_worker, leased_at, epoch, tries, refreshes, strikes,
              url_expires_at, deadline, staged_bucket, staged_key, staged_version, staged_etag, staged_size, h1,
              staged_at, unproven_sha256, announce_at) ON tasks TO outlast_downloader;

GRANT UPDATE (state, reason, urgency, wake_at, lease_id, lease_worker, leased_at, epoch, strikes, verifications,
              staged_bucket, staged_key, staged_version, staged_etag, staged_size, h1, staged_at,
              rejected_sha256, rejected_reason, h2, kind, facts, verifier_version, verified_at, announce_at)
    ON tasks TO outlast_verifier;

GRANT UPDATE (state, reason, urgency, wake_at, lease_id, lease_worker, leased_at, epoch, strikes, placements,
              verifications, staged_bucket, staged_key, staged_version, staged_etag, staged_size, h1, staged_at,
              durable_uri, size, h3, stored_at, completed_at, announce_at, announced_at) ON tasks TO outlast_promoter;
GRANT SELECT, INSERT, UPDATE ON assets TO outlast_promoter;
GRANT SELECT (task_id), DELETE ON sources TO outlast_promoter;

GRANT SELECT ON events, rejected_events, claims, history, assets TO outlast_operator;
GRANT INSERT ON history TO outlast_operator;
GRANT SELECT (source_id, task_id, host, expires_at, expires_from, confidence, observed_expired_at, added_at) ON sources
    TO outlast_operator;
GRANT UPDATE (state, reason, wake_at, tries, refreshes, verifications, placements, strikes, unproven_sha256, announce_at)
    ON tasks TO outlast_operator;
GRANT SELECT ON alembic_version TO
    outlast_ingest, outlast_downloader, outlast_verifier, outlast_promoter, outlast_sweeper, outlast_operator, outlast_reader;
