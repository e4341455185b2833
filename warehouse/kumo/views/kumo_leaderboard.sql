-- Which player solves how much, and with how many actions, in each setting?
-- Counts are tests + 1 (the actions and the one prediction) for player and optimum alike; an episode
-- that was not solved counts as n_actions + 1. Intervals (95%) come from `statistics`.
SELECT l.*, c.value AS relative_action_count, c.low AS relative_action_count_low, c.high AS relative_action_count_high,
       t.value AS mean_tests
FROM leaderboard AS l
JOIN statistics AS c
  ON c.edition = l.edition AND c.setting = l.setting AND c.player = l.player
 AND c.domain = 'all' AND c.statistic = 'relative_action_count' AND c.convention = 'perennial'
LEFT JOIN statistics AS t
  ON t.edition = l.edition AND t.setting = l.setting AND t.player = l.player
 AND t.domain = 'all' AND t.statistic = 'mean_tests'
ORDER BY l.edition, l.setting, l.rank NULLS LAST, l.success_rate DESC NULLS LAST, relative_action_count, l.player
