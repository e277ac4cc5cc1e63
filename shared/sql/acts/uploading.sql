-- uploading: names the multipart upload of a claim's staging object, so that what a killed worker leaves can be aborted.
UPDATE claims c
SET staging_key = %(key)s, upload_id = %(upload_id)s
FROM tasks t
WHERE t.task_id = %(task_id)s AND t.state = %(from_state)s AND t.lease_id = %(lease_id)s AND t.epoch = %(epoch)s
  AND c.task_id = t.task_id AND c.epoch = t.epoch
RETURNING c.task_id;
