-- job: keeps what an event tells of a job: that it is to be asked for, and where its record is.
INSERT INTO jobs AS known (job_key, account, provider, provider_account, job_id, model, sealed, started_at, due_at)
SELECT %(job_key)s, %(account)s, %(provider)s, %(provider_account)s, %(job_id)s, %(model)s::text, %(sealed)s::bytea,
       %(started_at)s, statement_timestamp() + make_interval(secs => %(due_seconds)s::float8)
-- An event whose id was used for something else is refused, and tells nothing.
WHERE NOT EXISTS (SELECT FROM events
                  WHERE account = %(account)s AND source = %(source)s AND event_id = %(event_id)s
                    AND (type, coalesce(subject_id, task_id)) <> (%(event_type)s, %(subject_id)s))
ON CONFLICT (job_key) DO UPDATE
SET model = coalesce(known.model, excluded.model), sealed = coalesce(excluded.sealed, known.sealed),
    -- A job that was reported, or is asked for already, stays so.
    due_at = CASE WHEN known.reported_at IS NULL THEN coalesce(known.due_at, excluded.due_at) END;
