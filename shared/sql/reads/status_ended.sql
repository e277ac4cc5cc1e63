-- status_ended: how many tasks ended well lately, were abandoned, and are at risk, each up to a limit.
SELECT (SELECT count(*) FROM (
            SELECT FROM public_tasks WHERE state = 'complete'
              AND completed_at > statement_timestamp() - interval '1 hour' LIMIT %(most)s) few) AS complete_last_hour,
       (SELECT count(*) FROM (
            SELECT FROM public_tasks WHERE state = 'complete'
              AND completed_at > statement_timestamp() - interval '1 day' LIMIT %(most)s) few) AS complete_last_day,
       (SELECT count(*) FROM (
            SELECT FROM public_tasks WHERE state = 'abandoned' LIMIT %(most)s) few) AS abandoned,
       (SELECT count(*) FROM (
            SELECT FROM public_tasks WHERE stage = 'download' AND at_risk
              AND urgency < statement_timestamp() + interval '2 minutes' LIMIT %(most)s) few) AS at_risk;
