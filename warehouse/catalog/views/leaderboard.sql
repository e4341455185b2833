-- Which player solves how much, in each setting?
-- All figures come from `statistics`; intervals (95%) are clustered by instance. A benchmark's own measures stand
-- in a view of its own, such as `kumo_leaderboard`.
WITH figures AS (
    FROM statistics WHERE domain = 'all' AND convention = 'any' AND other = ''
)
SELECT s.edition, s.setting, s.player, coalesce(m.n, 0) AS instances, a.n AS attempted, s.n AS scored,
       s.value AS success_rate, s.low AS success_rate_low, s.high AS success_rate_high, c.value AS score
FROM figures AS s
LEFT JOIN figures AS a
  ON a.edition = s.edition AND a.setting = s.setting AND a.player = s.player AND a.statistic = 'status_solved'
LEFT JOIN figures AS m
  ON m.edition = s.edition AND m.setting = s.setting AND m.player = s.player AND m.statistic = 'majority_success'
LEFT JOIN figures AS c
  ON c.edition = s.edition AND c.setting = s.setting AND c.player = s.player AND c.statistic = 'mean_score'
WHERE s.statistic = 'success_rate'
ORDER BY s.edition, s.setting, success_rate DESC NULLS LAST, s.player
