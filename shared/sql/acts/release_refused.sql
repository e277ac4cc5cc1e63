-- release_refused: an operator closes an output for good that was held for review; its bytes are marked, its links deleted.
WITH moved AS (
    UPDATE tasks t
    SET state = 'abandoned', reason = 'review_rejected', wake_at = NULL, announce_at = NULL,
        rejected_sha256 = t.h1, rejected_reason = 'review_rejected'
    WHERE t.task_id = %(task_id)s AND t.state = 'needs_attention' AND t.reason = 'held_for_review'
    RETURNING t.task_id, t.state, t.epoch, t.flags, t.account, t.staged_bucket, t.staged_key, t.staged_version, t.staged_size, t.h1
), marked AS (
    INSERT INTO rejected (task_id, epoch, account, bucket, key, version_id, size, sha256, reason)
    SELECT task_id, epoch, account, staged_bucket, staged_key, staged_version, staged_size, h1, 'review_rejected' FROM moved
    ON CONFLICT (bucket, key) DO NOTHING
), forgotten AS (
    DELETE FROM sources s USING moved WHERE s.task_id = moved.task_id
), noted AS (
    INSERT INTO history (task_id, act, from_state, to_state, epoch, reason, detail)
    SELECT task_id, 'release_refused', 'needs_attention', state, epoch, %(why)s, %(detail)s FROM moved
)
SELECT state, flags FROM moved;
