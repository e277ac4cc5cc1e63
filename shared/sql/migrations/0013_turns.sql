-- A try that held a slot for long goes behind those whose links end that much later, so that slow sources hold up no others.

ALTER TABLE tasks ADD COLUMN put_back_to timestamptz;
COMMENT ON COLUMN tasks.put_back_to IS 'Order in the download stage after tries that failed: later by the time that they took; null before the first.';

-- Its two indexes go with it.
ALTER TABLE tasks DROP COLUMN order_by;
ALTER TABLE tasks ADD COLUMN order_by timestamptz GENERATED ALWAYS AS (CASE
    WHEN state IN ('output_ready', 'downloading', 'download_retry') THEN greatest(urgency, put_back_to)
    WHEN state = 'verifying' THEN staged_at
    WHEN state IN ('promoting', 'stored') THEN verified_at END) STORED;
COMMENT ON COLUMN tasks.order_by IS 'Order of claims in a stage: by urgency and turn while the link lives, then first in, first out.';
CREATE INDEX tasks_claimable ON tasks (stage, lane, order_by) WHERE wake_at IS NULL AND stage IS NOT NULL;
CREATE INDEX tasks_claimable_by_account ON tasks (stage, lane, account, order_by)
    WHERE wake_at IS NULL AND stage IS NOT NULL;

GRANT UPDATE (put_back_to) ON tasks TO outlast_downloader;
