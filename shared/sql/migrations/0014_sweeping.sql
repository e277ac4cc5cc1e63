-- What the sweeper deletes, and the rule by which staged bytes may go.

CREATE TABLE swept (
    sweep_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    task_id    uuid NOT NULL,
    epoch      integer NOT NULL,
    bucket     text NOT NULL,
    key        text NOT NULL,
    version_id text NOT NULL,
    size       bigint NOT NULL,
    why        text NOT NULL CHECK (why IN ('superseded', 'closed', 'unknown')),
    begun_at   timestamptz NOT NULL DEFAULT statement_timestamp(),
    deleted_at timestamptz
);
CREATE UNIQUE INDEX swept_begun ON swept (bucket, key, version_id) WHERE deleted_at IS NULL;
CREATE INDEX swept_of_task ON swept (task_id);
COMMENT ON TABLE swept IS 'Staged objects that the sweeper deletes: begun before the deletion, ended after it.';
COMMENT ON COLUMN swept.task_id IS 'The task in the object''s key; with why = unknown there is no such row.';
COMMENT ON COLUMN swept.version_id IS 'Empty in a bucket without versions.';

CREATE FUNCTION staged_standing(
    of_bucket text, of_key text, of_task uuid, of_epoch integer, of_lease uuid, over_before timestamptz
) RETURNS text STABLE LANGUAGE sql AS $$
    SELECT CASE
        WHEN t.task_id IS NULL THEN 'unknown'
        -- These have their own lifetime.
        WHEN EXISTS (SELECT FROM rejected r WHERE r.bucket = of_bucket AND r.key = of_key AND r.purged_at IS NULL)
            THEN 'rejected'
        WHEN t.staged_bucket = of_bucket AND t.staged_key = of_key
            THEN CASE WHEN is_over THEN 'closed' ELSE 'needed' END
        -- The database was set back behind this claim: until the task is over its bytes may be the only ones.
        WHEN c.task_id IS NULL THEN CASE WHEN is_over THEN 'superseded' ELSE 'no claim' END
        WHEN c.ended_at < over_before THEN 'superseded'
        ELSE 'needed' END
    FROM (SELECT of_task AS task_id) told
    LEFT JOIN tasks t USING (task_id)
    LEFT JOIN claims c ON c.task_id = t.task_id AND c.epoch = of_epoch AND c.lease_id = of_lease
    CROSS JOIN LATERAL (
        SELECT coalesce(t.state IN ('complete', 'abandoned') AND t.state_since < over_before, false)) task (is_over)
$$;
COMMENT ON FUNCTION staged_standing IS 'Why a staged object may go, superseded or closed, or why it stays.';

ALTER TABLE claims ADD COLUMN upload_over_at timestamptz;
COMMENT ON COLUMN claims.upload_over_at IS 'When the sweeper had the store forget the claim''s multipart upload.';
CREATE INDEX claims_with_uploads ON claims (ended_at, lease_id)
    WHERE upload_id IS NOT NULL AND upload_over_at IS NULL AND outcome <> 'staged';

GRANT SELECT, INSERT ON swept TO outlast_sweeper;
GRANT UPDATE (deleted_at) ON swept TO outlast_sweeper;
GRANT SELECT ON swept TO outlast_operator;
GRANT SELECT ON claims, assets TO outlast_sweeper;
GRANT UPDATE (upload_over_at) ON claims TO outlast_sweeper;
-- To hold a row takes the right to change a column of it; this role has no edge, so that every change is refused.
GRANT UPDATE (task_id) ON tasks TO outlast_sweeper;
GRANT SELECT (source_id, task_id, expires_at, observed_expired_at), DELETE ON sources TO outlast_sweeper;
GRANT SELECT (task_id), INSERT ON history TO outlast_sweeper;
GRANT SELECT ON public_rejected TO outlast_sweeper;
