-- Does a player infer a rule less often when familiar tokens are replaced by others? (the paper's delta_S = P0 - P1)
-- A row per player and cell, and `all`: accuracy on the pairs of an item and its copy that the player has both answers to, the
-- difference with its 95% interval, in which a rule counts once, and how many symbolic items of the cell have no copy (`not_remapped`).
WITH rates AS (
    SELECT e.edition, e.player, e.instance_id, avg(e.success::INT) AS rate
    FROM episodes AS e
    WHERE e.version IS NULL AND e.status <> 'api_error'
    GROUP BY ALL
), copies AS (
    SELECT r.edition, r.player, r.instance_id, r.rate, c.of
    FROM rates AS r
    JOIN a2rbench_items AS c USING (edition, instance_id)
    WHERE c.is_remapped
), pairs AS (
    SELECT c.edition, i.domain, c.player, o.rate AS original, c.rate AS copy
    FROM copies AS c
    -- Not an inner join, which DuckDB may do first, between all rates of a player.
    LEFT JOIN rates AS o ON o.edition = c.edition AND o.instance_id = c.of AND o.player = c.player
    LEFT JOIN instances AS i ON i.edition = c.edition AND i.instance_id = c.instance_id
), means AS (
    SELECT edition, coalesce(domain, 'all') AS domain, player, count(original) AS pairs, avg(original) AS p0_accuracy,
           avg(copy) FILTER (original IS NOT NULL) AS p1_accuracy
    FROM pairs
    GROUP BY GROUPING SETS ((edition, player), (edition, player, domain))
    HAVING count(original) > 0
), missing AS (
    SELECT o.edition, coalesce(i.domain, 'all') AS domain, count(*) FILTER (c.of IS NULL) AS not_remapped
    FROM a2rbench_items AS o
    JOIN instances AS i USING (edition, instance_id)
    LEFT JOIN a2rbench_items AS c ON c.edition = o.edition AND c.of = o.instance_id
    WHERE NOT o.is_remapped AND o.type = 'symbolic'
    GROUP BY GROUPING SETS ((o.edition), (o.edition, i.domain))
)
SELECT m.edition, m.domain, m.player, m.pairs, m.p0_accuracy, m.p1_accuracy, s.value AS delta_s, s.low AS delta_s_low,
       s.high AS delta_s_high, n.not_remapped
FROM means AS m
JOIN missing AS n USING (edition, domain)
LEFT JOIN statistics AS s ON s.edition = m.edition AND s.domain = m.domain AND s.player = m.player AND s.statistic = 'delta_s'
ORDER BY m.edition, m.domain, delta_s DESC, m.player
