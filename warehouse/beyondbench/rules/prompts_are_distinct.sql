-- no two problems of an edition of BeyondBench show the same prompt
SELECT prompt, count(*) AS problems, min(instance_id) AS instance_id
FROM beyondbench_instances
GROUP BY prompt
HAVING count(*) > 1
