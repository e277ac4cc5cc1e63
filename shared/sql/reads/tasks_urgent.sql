-- tasks_urgent: of the next window of outputs without bytes, the most urgent first, those that match, and how far it went.
WITH looked AS MATERIALIZED (
    SELECT task_id, urgency, accepted_at, account, state, provider, reason, at_risk FROM public_tasks
    WHERE stage = 'download' AND (urgency, task_id) > (%(after_at)s::timestamptz, %(after_id)s::uuid)
      -- Nothing is at risk with more than two margins left, each of 60 seconds at most.
      AND (NOT %(only_at_risk)s OR urgency < statement_timestamp() + interval '2 minutes')
    ORDER BY urgency, task_id LIMIT %(window)s
), reached AS (
    SELECT count(*) AS looked_at, (array_agg(urgency ORDER BY urgency DESC, task_id DESC))[1] AS reached_at,
           (array_agg(task_id ORDER BY urgency DESC, task_id DESC))[1] AS reached_id
    FROM looked
), found AS MATERIALIZED (
    SELECT task_id FROM looked
    WHERE (NOT %(only_at_risk)s OR at_risk)
      AND accepted_at >= %(since)s::timestamptz
      AND (%(account)s::text IS NULL OR account = %(account)s)
      AND (%(state)s::text IS NULL OR state = %(state)s)
      AND (%(provider)s::text IS NULL OR provider = %(provider)s)
      AND (%(reason)s::text IS NULL OR reason = %(reason)s)
    ORDER BY urgency, task_id LIMIT %(limit)s
)
SELECT looked_at, reached_at, reached_id,
       task_id, account, provider, provider_account, job_id, output_id, operation_id, attempt_id, variant, state, kind,
       reason, durable_uri, size, sha256, media, display_name, retention_class, ready_at, accepted_at, url_expires_at,
       deadline, stored_at, completed_at, updated_at, tries, refreshes, next_try_at, at_risk, urgency
FROM reached LEFT JOIN (found JOIN public_tasks USING (task_id)) ON true
ORDER BY urgency, task_id;
