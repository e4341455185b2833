-- What does an item of rules that models wrote cost?
SELECT * EXCLUDE (edition)
FROM a2rbench_task_costs
WHERE edition = $edition
