-- a copy of A2RBench in other tokens has phi and a symbolic original of its rule, seed and variation, of which it is the only copy
SELECT c.instance_id, c.rule, c.variation, c.of, o.rule AS original_rule, o.variation AS original_variation
FROM a2rbench_items AS c
LEFT JOIN a2rbench_items AS o ON o.instance_id = c.of
WHERE c.is_remapped <> (c.of IS NOT NULL) OR c.is_remapped <> (c.phi IS NOT NULL)
   OR (c.is_remapped
       AND (o.instance_id IS NULL OR o.is_remapped OR o.type <> 'symbolic' OR NOT o.commutes OR NOT c.commutes
            OR (o.rule, o.variation, o.seed_item) IS DISTINCT FROM (c.rule, c.variation, c.seed_item)
            OR (SELECT count(*) FROM a2rbench_items AS d WHERE d.of = c.of) <> 1))
