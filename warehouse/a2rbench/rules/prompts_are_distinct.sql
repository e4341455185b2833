-- no two items of an edition of A2RBench show the same prompt
SELECT prompt, count(*) AS items, min(instance_id) AS instance_id
FROM a2rbench_items
GROUP BY prompt
HAVING count(*) > 1
