-- How does each player do on the items of each cell, type and shape of A2RBench, and of the seeds, the variations and the copies?
-- `items` is p0 (seed and augmented together), seed (V0), augmented (V1 to V9) or remapped (P1: copies in other tokens, which
-- p0 does not count). `cell` is a domain, a type, a shape or `all`. Intervals (95%) count a rule once.
WITH figures AS (
    SELECT edition, CASE setting WHEN 'all' THEN 'p0' ELSE setting END AS items,
           CASE other WHEN '' THEN domain ELSE other END AS cell, player,
           any_value(n) FILTER (statistic = 'item_accuracy') AS played,
           any_value(value) FILTER (statistic = 'item_accuracy') AS accuracy,
           any_value(low) FILTER (statistic = 'item_accuracy') AS accuracy_low,
           any_value(high) FILTER (statistic = 'item_accuracy') AS accuracy_high,
           any_value(value) FILTER (statistic = 'collapse_rate') AS collapse_rate,
           any_value(low) FILTER (statistic = 'collapse_rate') AS collapse_rate_low,
           any_value(high) FILTER (statistic = 'collapse_rate') AS collapse_rate_high,
           any_value(value) FILTER (statistic = 'strict_accuracy') AS strict_accuracy,
           any_value(low) FILTER (statistic = 'strict_accuracy') AS strict_accuracy_low,
           any_value(high) FILTER (statistic = 'strict_accuracy') AS strict_accuracy_high,
           any_value(population) AS population
    FROM statistics
    WHERE statistic IN ('item_accuracy', 'collapse_rate', 'strict_accuracy')
    GROUP BY ALL
)
FROM figures
WHERE accuracy IS NOT NULL
ORDER BY edition, list_position(['p0', 'seed', 'augmented', 'remapped'], items),
         list_position(['all', 'symbolic', 'semantic', 'line', 'grid', 'cube'], cell) NULLS LAST, cell,
         accuracy DESC, player
