-- placing: commits the intent to place an asset at its key, before any byte is copied; tells who owns the key.
WITH held AS (
    SELECT t.task_id FROM tasks t
    WHERE t.task_id = %(task_id)s AND t.state = %(from_state)s AND t.lease_id = %(lease_id)s AND t.epoch = %(epoch)s
    FOR UPDATE
), intent AS (
    INSERT INTO assets (task_id, bucket, key, status, kind, content_type, size, sha256, facts, duplicate_of)
    SELECT task_id, %(bucket)s, %(key)s, 'placing', %(kind)s, %(content_type)s, %(size)s, %(sha256)s, %(facts)s,
           (SELECT a.task_id FROM assets a
            WHERE a.sha256 = %(sha256)s AND a.status = 'durable' AND a.task_id <> %(task_id)s
            ORDER BY a.durable_at LIMIT 1)
    FROM held
    WHERE NOT EXISTS (SELECT FROM assets a
                      WHERE a.bucket = %(bucket)s AND a.key = %(key)s AND a.task_id <> %(task_id)s)
    ON CONFLICT (task_id) DO UPDATE
        SET bucket = excluded.bucket, key = excluded.key, kind = excluded.kind,
            content_type = excluded.content_type, size = excluded.size, sha256 = excluded.sha256,
            facts = excluded.facts, duplicate_of = excluded.duplicate_of, placing_at = statement_timestamp()
        WHERE assets.status = 'placing'
    RETURNING task_id
)
SELECT EXISTS (SELECT FROM held) AS held,
       (SELECT a.task_id FROM assets a
        WHERE a.bucket = %(bucket)s AND a.key = %(key)s AND a.task_id <> %(task_id)s) AS other_owner;
