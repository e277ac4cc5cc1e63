-- claim_outcome: what became of a claim, asked after an answer of the database was lost.
SELECT outcome, (SELECT h.act FROM history h WHERE h.task_id = claims.task_id AND h.epoch = claims.epoch
                 ORDER BY h.history_id DESC LIMIT 1) AS last_act
FROM claims WHERE lease_id = %(lease_id)s;
