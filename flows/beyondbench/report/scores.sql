-- How does each player do in each suite and task, with unread replies and token statuses?
SELECT * EXCLUDE (edition)
FROM beyondbench_scores
WHERE edition = $edition
