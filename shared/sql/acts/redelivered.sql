-- redelivered: counts that a redelivered intake body is about to be handled.
INSERT INTO redeliveries (body_sha256, times) VALUES (%(body_sha256)s, 1)
ON CONFLICT (body_sha256) DO UPDATE SET times = redeliveries.times + 1, last_at = statement_timestamp()
RETURNING times;
