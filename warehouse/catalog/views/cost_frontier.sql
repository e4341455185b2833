-- Which models give the most for their cost? Each player's success rate beside its mean cost of an episode, in US dollars and in
-- tokens where these are known (`cost_unit`). A model is on the frontier if no other one has at least its rate for at most its
-- cost, one of both being better; frontier_share is the share of redrawn editions (by clusters) in which that is so, over the
-- `instances` on which all models have a known cost. Other kinds of players have neither.
WITH costs AS (
    SELECT edition, setting, player, CASE WHEN statistic = 'mean_tokens' THEN 'tokens' ELSE 'US dollars' END AS cost_unit, value AS cost,
           low AS cost_low, high AS cost_high
    FROM statistics
    WHERE statistic IN ('mean_cost_usd', 'mean_tokens') AND domain = 'all' AND value IS NOT NULL
), shares AS (
    SELECT edition, setting, player, convention AS cost_unit, n AS instances, value AS frontier_share
    FROM statistics
    WHERE statistic = 'frontier_share'
), rated AS (
    SELECT l.edition, l.benchmark, l.setting, l.player, l.player_group, s.instances, c.cost_unit, c.cost, c.cost_low, c.cost_high,
           l.success_rate, l.success_rate_low, l.success_rate_high, l.population, s.frontier_share
    FROM leaderboard AS l
    JOIN costs AS c USING (edition, setting, player)
    LEFT JOIN shares AS s USING (edition, setting, player, cost_unit)
    WHERE l.success_rate IS NOT NULL
)
SELECT r.*,
       CASE WHEN frontier_share IS NOT NULL THEN NOT EXISTS (
           FROM rated AS o
           WHERE o.edition = r.edition AND o.setting = r.setting AND o.cost_unit = r.cost_unit AND o.frontier_share IS NOT NULL
             AND o.success_rate >= r.success_rate AND o.cost <= r.cost AND (o.success_rate > r.success_rate OR o.cost < r.cost)
       ) END AS is_on_frontier
FROM rated AS r
ORDER BY r.edition, r.setting, r.cost_unit, r.cost, r.player
