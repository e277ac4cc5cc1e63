-- Refused bytes stay for a while, marked; and what a later release says of the assets that an earlier one proved.

CREATE TABLE rejected (
    task_id     uuid NOT NULL REFERENCES tasks,
    epoch       integer NOT NULL,
    account     text NOT NULL,
    bucket      text NOT NULL,
    key         text NOT NULL,
    version_id  text,
    size        bigint NOT NULL CHECK (size > 0),
    sha256      text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    reason      text NOT NULL,
    rejected_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    keep_until  timestamptz NOT NULL DEFAULT statement_timestamp() + interval '30 days',
    purging_at  timestamptz,
    purged_at   timestamptz,
    purged_by   text,
    why         text,
    PRIMARY KEY (task_id, epoch),
    UNIQUE (bucket, key),
    CONSTRAINT a_purge_has_its_reason CHECK (num_nonnulls(purging_at, purged_by, why) IN (0, 3)),
    CONSTRAINT purged_was_begun CHECK (purged_at IS NULL OR purging_at IS NOT NULL)
);
CREATE INDEX rejected_newest ON rejected (rejected_at, task_id, epoch);
CREATE INDEX rejected_by_account ON rejected (account, rejected_at, task_id, epoch);
CREATE INDEX rejected_to_end ON rejected (keep_until) WHERE purged_at IS NULL;
COMMENT ON TABLE rejected IS 'Staged objects whose bytes were refused, one row for each; they stay where they are until keep_until.';
COMMENT ON COLUMN rejected.epoch IS 'The claim that refused them last.';
COMMENT ON COLUMN rejected.sha256 IS 'The digest with which they were staged.';
COMMENT ON COLUMN rejected.purging_at IS 'When their deletion was begun: from here on no task is resumed with them, and purged_at follows.';

CREATE FUNCTION needs_staged(state text, h1 text, h2 text, staged_at timestamptz, verified_at timestamptz)
    RETURNS boolean IMMUTABLE LANGUAGE sql AS $$
    SELECT state IN ('verifying', 'promoting', 'stored', 'complete')
        OR state = 'needs_attention' AND coalesce(h2 = h1 AND verified_at >= staged_at, false)
$$;
COMMENT ON FUNCTION needs_staged IS 'Whether a task needs the object that it points at; a stopped one does if those bytes are proven.';

CREATE VIEW public_rejected AS
SELECT r.task_id, r.epoch, r.account, t.provider, t.job_id, t.output_id, r.size, r.sha256, r.reason, r.rejected_at,
       r.keep_until, r.purged_at, r.purged_by, r.why,
       (r.bucket = t.staged_bucket AND r.key = t.staged_key
           AND needs_staged(t.state, t.h1, t.h2, t.staged_at, t.verified_at)) IS TRUE AS in_use
FROM rejected r JOIN tasks t USING (task_id);
COMMENT ON VIEW public_rejected IS 'Bytes that were refused, without where they lie; in_use: their task was sent on with them since.';

CREATE TABLE reverifications (
    task_id          uuid NOT NULL REFERENCES tasks,
    verifier_version text NOT NULL,
    verdict          text NOT NULL CHECK (verdict IN ('same', 'refused', 'corrupt', 'lost')),
    reason           text,
    detail           text NOT NULL DEFAULT '',
    checked_at       timestamptz NOT NULL DEFAULT statement_timestamp(),
    PRIMARY KEY (task_id, verifier_version),
    CONSTRAINT a_refusal_has_a_reason CHECK ((reason IS NOT NULL) = (verdict = 'refused'))
);
CREATE INDEX reverifications_differing ON reverifications (verifier_version, task_id) WHERE verdict <> 'same';
COMMENT ON TABLE reverifications IS 'What the checks of a release said of a stored asset that was looked at again; nothing follows from it by itself.';

CREATE VIEW public_reverifications AS
SELECT task_id, verifier_version, verdict, reason, detail, checked_at FROM reverifications;
COMMENT ON VIEW public_reverifications IS 'What was found when stored assets were looked at again.';

CREATE FUNCTION policy_of(verifier_version text) RETURNS integer IMMUTABLE LANGUAGE sql AS $$
    SELECT coalesce(substring(verifier_version FROM '^policy ([0-9]{1,9})\y')::integer, 0)
$$;
COMMENT ON FUNCTION policy_of IS 'The version of the policy in a verifier_version; 0 where it tells none.';

GRANT SELECT, INSERT ON rejected TO outlast_verifier, outlast_operator;
GRANT UPDATE (epoch, reason, rejected_at, keep_until) ON rejected TO outlast_verifier;
GRANT SELECT ON rejected TO outlast_sweeper;
GRANT UPDATE (purging_at, purged_at, purged_by, why) ON rejected TO outlast_operator, outlast_sweeper;
GRANT SELECT, INSERT ON reverifications TO outlast_operator;
GRANT UPDATE (verdict, reason, detail, checked_at) ON reverifications TO outlast_operator;
GRANT SELECT ON public_rejected, public_reverifications TO outlast_reader, outlast_operator;
