-- announce_rejected: takes due announcements of rejected events for 30 seconds.
UPDATE rejected_events r
SET announce_at = statement_timestamp() + interval '30 seconds'
FROM (SELECT account, body_sha256 FROM rejected_events WHERE announce_at <= statement_timestamp()
      ORDER BY announce_at LIMIT 50 FOR UPDATE SKIP LOCKED) due
WHERE r.account = due.account AND r.body_sha256 = due.body_sha256
RETURNING r.account, r.body_sha256, r.body_bytes, r.reason, r.detail, r.first_at, r.times, r.announce_at;
