-- expired_source: remembers that a source was seen to have ended.
UPDATE sources SET observed_expired_at = statement_timestamp()
WHERE source_id = %(source_id)s AND observed_expired_at IS NULL;
