-- What does an item of rules that models wrote cost? (the paper's table 3: 0.19 dollars per seed, 0.005 per variation, 0.016 on average)
-- A row per kind: `seed` (V0), `augmented` (V1 to V9) and `all`, which counts copies in other tokens too: they cost no call. The dollars
-- are of all calls of authors, expanders and judges, refused work included; NULL where a call has no price.
WITH items AS (
    SELECT edition, CASE WHEN is_remapped THEN 'remapped' WHEN variation = 0 THEN 'seed' ELSE 'augmented' END AS kind, count(*) AS items
    FROM a2rbench_items
    WHERE author NOT IN ('drawn', 'catalogue') AND edition IN (SELECT edition FROM a2rbench_attempts)
    GROUP BY ALL
), spent AS (
    SELECT edition, CASE kind WHEN 'seed' THEN 'seed' ELSE 'augmented' END AS kind, sum(calls) AS calls, sum(cost_usd) AS cost_usd,
           bool_or(calls_without_cost > 0) AS is_unpriced
    FROM a2rbench_author_costs
    GROUP BY ALL
), joined AS (
    SELECT edition, kind, coalesce(items, 0) AS items, coalesce(calls, 0) AS calls, coalesce(cost_usd, 0) AS cost_usd,
           coalesce(is_unpriced, false) AS is_unpriced
    FROM items
    FULL JOIN spent USING (edition, kind)
), summed AS (
    SELECT edition, kind, sum(items) AS items, sum(calls) AS calls, sum(cost_usd) AS cost_usd, bool_or(is_unpriced) AS is_unpriced
    FROM (FROM joined WHERE kind <> 'remapped' UNION ALL SELECT edition, 'all', items, calls, cost_usd, is_unpriced FROM joined)
    GROUP BY edition, kind
)
SELECT edition, kind, items::BIGINT AS items, calls, CASE WHEN NOT is_unpriced THEN cost_usd END AS cost_usd,
       CASE WHEN NOT is_unpriced AND items > 0 THEN cost_usd / items END AS cost_per_task_usd
FROM summed
ORDER BY edition, list_position(['seed', 'augmented', 'all'], kind)
