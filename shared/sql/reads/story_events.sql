-- story_events: the events about a task, oldest first.
SELECT received_at, type, source, event_id
FROM public_events WHERE task_id = %(task_id)s ORDER BY received_at LIMIT %(limit)s;
