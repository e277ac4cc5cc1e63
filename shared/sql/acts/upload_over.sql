-- upload_over: records that the store has forgotten a claim's multipart upload.
UPDATE claims SET upload_over_at = statement_timestamp()
WHERE task_id = %(task_id)s AND epoch = %(epoch)s AND upload_over_at IS NULL
RETURNING task_id;
