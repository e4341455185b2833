-- each variation of a rule of A2RBench that a model wrote was run and judged, and passed both, before it was an item
WITH variations AS (
    SELECT n.domain, n."index" // 9 AS number, i.variation, i.instance_id
    FROM a2rbench_items AS i
    JOIN instances AS n USING (instance_id)
    WHERE i.variation > 0 AND NOT i.is_remapped AND i.rule IN (SELECT rule FROM a2rbench_rules)
), passed AS (
    SELECT domain, number, variation, count(DISTINCT step) AS steps
    FROM a2rbench_attempts
    WHERE passed AND step IN ('inputs', 'inputs_run', 'inputs_judged')
    GROUP BY ALL
)
SELECT v.instance_id, v.domain, v.number, v.variation, p.steps
FROM variations AS v
LEFT JOIN passed AS p USING (domain, number, variation)
WHERE p.steps IS DISTINCT FROM 3
