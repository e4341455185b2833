-- an instance of BeyondBench has its suite as setting
SELECT i.instance_id, i.setting, b.suite
FROM instances AS i
JOIN beyondbench_instances AS b USING (instance_id)
WHERE b.suite <> i.setting
