-- purged: records that refused bytes are deleted, by whom and why.
WITH ended AS (
    UPDATE rejected
    SET purged_at = statement_timestamp()
    WHERE task_id = %(task_id)s AND epoch = %(epoch)s AND purging_at IS NOT NULL AND purged_at IS NULL
    RETURNING task_id, epoch, sha256, purged_by, why
)
INSERT INTO history (task_id, act, from_state, to_state, epoch, reason, detail)
SELECT e.task_id, 'purged', t.state, t.state, e.epoch, e.why,
       jsonb_build_object('by', e.purged_by, 'sha256', e.sha256)
FROM ended e JOIN tasks t USING (task_id)
RETURNING task_id;
