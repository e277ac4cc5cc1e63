-- story_history: the next acts on a task backwards from one of them.
SELECT history_id, at, act, from_state, to_state, role, epoch, reason, detail
FROM public_history WHERE task_id = %(task_id)s AND history_id < %(before)s ORDER BY history_id DESC LIMIT %(limit)s;
