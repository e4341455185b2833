-- A2RBench's guesser is right on at most 2% of the items of catalogue rules, with five standard errors: no query is one of fewer than 20, and one of fewer than 100 only where tokens are bits, two rules of twelve
SELECT i.type, i.dimension, i.variation, count(*) AS items, avg(e.success::INT) AS rate
FROM episodes AS e
JOIN a2rbench_items AS i USING (instance_id)
WHERE e.player = 'guesser' AND e.status <> 'api_error' AND i.author = 'catalogue'
GROUP BY GROUPING SETS ((), (i.type, i.dimension), (i.variation))
HAVING count(*) >= 20 AND avg(e.success::INT) > 0.02 + 5 * sqrt(0.02 * 0.98 / count(*))
