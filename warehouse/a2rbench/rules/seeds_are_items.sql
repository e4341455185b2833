-- the seed item of every item of A2RBench is an item V0 of the same rule, and its own seed item
SELECT i.instance_id, i.seed_item, i.rule, s.rule AS seed_rule, s.variation
FROM a2rbench_items AS i
LEFT JOIN a2rbench_items AS s ON s.instance_id = i.seed_item
WHERE s.instance_id IS NULL OR s.rule <> i.rule OR s.variation <> 0 OR s.is_remapped OR s.seed_item <> s.instance_id
