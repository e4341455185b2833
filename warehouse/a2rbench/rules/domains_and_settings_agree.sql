-- an instance of A2RBench has its cell as domain and its kind as setting
SELECT i.instance_id, i.domain, i.setting, o.dimension, o.type, o.variation
FROM instances AS i
JOIN a2rbench_items AS o USING (instance_id)
WHERE i.domain <> ['line', 'grid', 'cube'][o.dimension] || '_' || o.type
   OR i.setting <> CASE WHEN o.is_remapped THEN 'remapped' WHEN o.variation = 0 THEN 'seed' ELSE 'augmented' END
