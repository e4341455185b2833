-- an instance of BeyondBench has its task as domain and its suite as setting
SELECT i.instance_id, i.domain, i.setting, b.task, b.suite
FROM instances AS i
JOIN beyondbench_instances AS b USING (instance_id)
WHERE b.task <> i.domain OR b.suite <> i.setting
