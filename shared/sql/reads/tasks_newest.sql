-- tasks_newest: of the next window of tasks by age, newest first, those that match, and how far the window went.
WITH looked AS MATERIALIZED (
    SELECT task_id, accepted_at, account, state, provider, reason FROM public_tasks
    WHERE (accepted_at, task_id) < (%(before_at)s::timestamptz, %(before_id)s::uuid)
      AND accepted_at >= %(since)s::timestamptz
      AND (%(window_account)s::text IS NULL OR account = %(window_account)s)
      AND (%(window_state)s::text IS NULL OR state = %(window_state)s)
    ORDER BY accepted_at DESC, task_id DESC LIMIT %(window)s
), reached AS (
    SELECT count(*) AS looked_at, (array_agg(accepted_at ORDER BY accepted_at, task_id))[1] AS reached_at,
           (array_agg(task_id ORDER BY accepted_at, task_id))[1] AS reached_id
    FROM looked
), found AS MATERIALIZED (
    SELECT task_id FROM looked
    WHERE (%(account)s::text IS NULL OR account = %(account)s)
      AND (%(state)s::text IS NULL OR state = %(state)s)
      AND (%(provider)s::text IS NULL OR provider = %(provider)s)
      AND (%(reason)s::text IS NULL OR reason = %(reason)s)
    ORDER BY accepted_at DESC, task_id DESC LIMIT %(limit)s
)
SELECT looked_at, reached_at, reached_id,
       task_id, account, provider, provider_account, job_id, output_id, operation_id, attempt_id, variant, state, kind,
       reason, durable_uri, size, sha256, media, display_name, retention_class, ready_at, accepted_at, url_expires_at,
       deadline, stored_at, completed_at, updated_at, tries, refreshes, next_try_at, at_risk
FROM reached LEFT JOIN (found JOIN public_tasks USING (task_id)) ON true
ORDER BY accepted_at DESC, task_id DESC;
