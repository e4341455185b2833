-- Does a player infer a rule less often when familiar tokens are replaced by others? (the paper's delta_S = P0 - P1)
-- A row per player and cell, and `all`: accuracy on the pairs of an item and its copy that the player has both answers to, the
-- difference with its 95% interval, in which a rule counts once, and how many symbolic items of the cell have no copy (`not_remapped`).
WITH rates AS (
    SELECT e.edition, e.player, e.instance_id, avg(e.success::INT) AS rate
    FROM episodes AS e
    WHERE e.version IS NULL AND e.status <> 'api_error'
    GROUP BY ALL
), pairs AS (
    SELECT c.edition, i.domain, o.player, o.rate AS original, r.rate AS copy
    FROM a2rbench_items AS c
    JOIN instances AS i USING (edition, instance_id)
    JOIN rates AS r USING (edition, instance_id)
    JOIN rates AS o ON o.edition = c.edition AND o.instance_id = c.of AND o.player = r.player
    WHERE c.is_remapped
), means AS (
    SELECT edition, coalesce(domain, 'all') AS domain, player, count(*) AS pairs, avg(original) AS p0_accuracy,
           avg(copy) AS p1_accuracy
    FROM pairs
    GROUP BY GROUPING SETS ((edition, player), (edition, player, domain))
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
