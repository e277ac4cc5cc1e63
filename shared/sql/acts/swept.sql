-- swept: records that a staged object is deleted.
UPDATE swept SET deleted_at = statement_timestamp()
WHERE sweep_id = %(sweep_id)s AND deleted_at IS NULL
RETURNING sweep_id;
