-- reverified: records what the present checks say of a stored asset; its task stays as it is.
INSERT INTO reverifications (task_id, verifier_version, verdict, reason, detail)
VALUES (%(task_id)s, %(verifier_version)s, %(verdict)s, %(reason)s, %(detail)s)
ON CONFLICT (task_id, verifier_version) DO UPDATE
    SET verdict = excluded.verdict, reason = excluded.reason, detail = excluded.detail, checked_at = statement_timestamp();
