-- A2RBench's guesser, which looks up places in an example of the query's shape, is right on at most 2% of the items of perennial's rules and on 5% in a cell or variation, with five standard errors
WITH rates AS (
    SELECT i.type, i.dimension, i.variation, count(*) AS items, avg(e.success::INT) AS rate,
           if(grouping(i.type, i.variation) = 3, 0.02, 0.05) AS most
    FROM episodes AS e
    JOIN a2rbench_items AS i USING (instance_id)
    WHERE e.player = 'guesser' AND e.status <> 'api_error' AND i.author IN ('drawn', 'catalogue')
    GROUP BY GROUPING SETS ((), (i.type, i.dimension), (i.variation))
)
FROM rates
WHERE items >= 20 AND rate > most + 5 * sqrt(most * (1 - most) / items)
