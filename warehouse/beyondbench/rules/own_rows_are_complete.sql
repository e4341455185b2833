-- every instance of BeyondBench has its row in beyondbench_instances, with its task as domain and its suite as setting
SELECT i.instance_id, i.domain, i.setting, b.task, b.suite
FROM instances AS i
LEFT JOIN beyondbench_instances AS b USING (instance_id)
WHERE i.benchmark = 'beyondbench' AND (b.task IS DISTINCT FROM i.domain OR b.suite IS DISTINCT FROM i.setting)
