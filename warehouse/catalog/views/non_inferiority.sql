-- Is the cheaper of two models good enough? Both on the instances that both answered: `player` costs less per instance, in US
-- dollars where what both paid is known, else in tokens (`cost_unit`). difference is its success rate minus the other's, and
-- difference_low a bound of one side (2.5%): the lower end of the 95% interval in `paired_comparisons`, by clusters of
-- `population`. The cheaper model is shown to be within any margin above smallest_margin. One row per pair of models, corrected
-- for no number of pairs; none for models that cost the same, or of which no cost is known.
WITH used AS (
    SELECT e.edition, i.setting, e.player, e.instance_id, avg(e.cost_usd) AS cost_usd, avg(e.tokens) AS tokens
    FROM episodes AS e
    JOIN instances AS i USING (edition, instance_id)
    WHERE e.status <> 'api_error' AND e.version IS NULL
    GROUP BY ALL
), pairs AS (
    FROM paired_comparisons WHERE family = 'models'
), costs AS (
    SELECT p.edition, p.setting, p.player, p.other_player,
           round(avg(u.cost_usd) FILTER (o.cost_usd IS NOT NULL), 12) AS cost_usd,
           round(avg(o.cost_usd) FILTER (u.cost_usd IS NOT NULL), 12) AS other_cost_usd,
           round(avg(u.tokens) FILTER (o.tokens IS NOT NULL), 6) AS tokens,
           round(avg(o.tokens) FILTER (u.tokens IS NOT NULL), 6) AS other_tokens
    FROM pairs AS p
    JOIN used AS u ON u.edition = p.edition AND u.setting = p.setting AND u.player = p.player
    JOIN used AS o ON o.edition = p.edition AND o.player = p.other_player AND o.instance_id = u.instance_id
    GROUP BY ALL
), compared AS (
    SELECT edition, setting, player, other_player,
           CASE WHEN is_paid THEN 'US dollars' ELSE 'tokens' END AS cost_unit,
           CASE WHEN is_paid THEN cost_usd ELSE tokens END AS cost,
           CASE WHEN is_paid THEN other_cost_usd ELSE other_tokens END AS other_cost
    FROM (SELECT *, coalesce(greatest(cost_usd, other_cost_usd) > 0, FALSE) AS is_paid FROM costs)
)
SELECT c.edition, p.benchmark, c.setting, c.player, c.other_player, p.instances, c.cost_unit, c.cost, c.other_cost,
       1 - c.cost / c.other_cost AS saving,
       p.difference, p.difference_low, p.population, p.no_interval,
       CASE WHEN p.difference_low > 0 THEN 0 ELSE -p.difference_low END AS smallest_margin,
       p.difference_low > -0.03 AS within_03,
       row_number() OVER (
           PARTITION BY c.edition, c.setting, c.other_player
           ORDER BY coalesce(within_03, FALSE) DESC, CASE WHEN within_03 THEN saving ELSE 0 END DESC, smallest_margin, saving DESC, c.player
       ) = 1 AS is_first_choice
FROM compared AS c
JOIN pairs AS p USING (edition, setting, player, other_player)
WHERE c.cost < c.other_cost
ORDER BY c.edition, c.setting, smallest_margin NULLS LAST, saving DESC, c.player, c.other_player
