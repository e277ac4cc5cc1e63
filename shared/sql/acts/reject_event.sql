-- reject_event: records an intake body that is no event, by digest and fault.
INSERT INTO rejected_events (account, body_sha256, body_bytes, reason, detail)
VALUES (%(account)s, %(body_sha256)s, %(body_bytes)s, %(reason)s, %(detail)s)
ON CONFLICT (account, body_sha256) DO UPDATE
    SET times = rejected_events.times + 1, last_at = statement_timestamp(), announce_at = statement_timestamp();
