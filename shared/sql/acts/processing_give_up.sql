-- processing_give_up: ends as failed what has no try left; a last run that vanished without a word is poison.
UPDATE processing
SET state = 'failed', state_since = statement_timestamp(), finished_at = statement_timestamp(),
    reason = CASE WHEN lease_id IS NOT NULL THEN 'poisoned' ELSE coalesce(reason, 'poisoned') END,
    detail = CASE WHEN lease_id IS NULL THEN detail END,
    tries = tries + (lease_id IS NOT NULL)::integer, lease_id = NULL, lease_worker = NULL, lease_ends_at = NULL
WHERE task_id = %(task_id)s AND version_id = %(version_id)s AND sha256 = %(sha256)s
  AND processor_version = %(processor_version)s AND finished_at IS NULL
  AND NOT lease_of_processing_lives(lease_ends_at)
  AND tries + (lease_id IS NOT NULL)::integer >= %(most_tries)s
RETURNING task_id;
