-- announced_rejected: closes the announcement of a rejected event, unless it became due again meanwhile.
UPDATE rejected_events SET announce_at = NULL, announced_at = statement_timestamp()
WHERE account = %(account)s AND body_sha256 = %(body_sha256)s AND announce_at = %(announce_at)s
RETURNING account;
