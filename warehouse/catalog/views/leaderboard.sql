-- Which player solves how much, in each setting?
-- All figures come from `statistics`: means over instances of the mean over runs. Intervals (95%) are for instances that
-- vary, those `over_domains` for domains that vary as well. A benchmark's own measures stand in a view of its own, such
-- as `kumo_leaderboard`.
WITH figures AS (
    FROM statistics WHERE domain = 'all' AND convention = 'any' AND other = ''
)
SELECT s.edition, s.setting, s.player, coalesce(m.n, 0) AS instances, a.n AS attempted, s.n AS scored,
       s.value AS success_rate, s.low AS success_rate_low, s.high AS success_rate_high,
       d.low AS success_rate_over_domains_low, d.high AS success_rate_over_domains_high, c.value AS score
FROM figures AS s
LEFT JOIN figures AS a
  ON a.edition = s.edition AND a.setting = s.setting AND a.player = s.player AND a.statistic = 'status_solved'
LEFT JOIN figures AS m
  ON m.edition = s.edition AND m.setting = s.setting AND m.player = s.player AND m.statistic = 'majority_success'
LEFT JOIN figures AS c
  ON c.edition = s.edition AND c.setting = s.setting AND c.player = s.player AND c.statistic = 'mean_score'
LEFT JOIN figures AS d
  ON d.edition = s.edition AND d.setting = s.setting AND d.player = s.player
 AND d.statistic = 'success_rate_over_domains'
WHERE s.statistic = 'success_rate'
ORDER BY s.edition, s.setting, success_rate DESC NULLS LAST, s.player
