-- Which player solves how much, and with how many actions, in each setting?
-- Counts are tests + 1 (the actions and the one prediction) for player and optimum alike; an episode
-- that was not solved counts as n_actions + 1. Intervals (95%) come from `statistics`.
WITH scored AS (
    SELECT e.edition, e.player, i.setting, e.instance_id, e.status, e.success, e.tests,
           CASE WHEN e.success THEN e.tests + 1 ELSE i.n_actions + 1 END AS actions,
           i.optimal_tests + 1 AS optimum
    FROM episodes AS e
    JOIN kumo_instances AS i USING (edition, instance_id)
), rates AS (
    SELECT edition, setting, player,
           count(DISTINCT instance_id) AS instances,
           count(*) AS attempted,
           count(*) FILTER (status <> 'api_error') AS scored,
           avg(success::INT) FILTER (status <> 'api_error') AS success_rate,
           avg((actions - optimum) / optimum) FILTER (status <> 'api_error') AS relative_action_count,
           avg(tests) FILTER (status <> 'api_error') AS mean_tests
    FROM scored
    GROUP BY ALL
)
SELECT r.edition, r.setting, r.player, r.instances, r.attempted, r.scored,
       r.success_rate, s.low AS success_rate_low, s.high AS success_rate_high,
       r.relative_action_count, c.low AS relative_action_count_low, c.high AS relative_action_count_high,
       r.mean_tests
FROM rates AS r
LEFT JOIN statistics AS s
  ON s.edition = r.edition AND s.setting = r.setting AND s.player = r.player
 AND s.domain = 'all' AND s.statistic = 'success_rate' AND s.convention IN ('any', 'perennial')
LEFT JOIN statistics AS c
  ON c.edition = r.edition AND c.setting = r.setting AND c.player = r.player
 AND c.domain = 'all' AND c.statistic = 'relative_action_count' AND c.convention = 'perennial'
ORDER BY r.edition, r.setting, r.success_rate DESC, r.relative_action_count, r.player
