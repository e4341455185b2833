-- Which player solves how much, and with how many actions, in each setting?
-- `relative_action_count_perennial` is the sum of counts / the sum of optima - 1, counts being tests + 1 (the actions and
-- the one prediction) for player and optimum alike, and n_actions + 1 for an episode that was not solved.
-- `excess_tests_perennial` is tests - optimum of solved episodes. `relative_action_count_kumo_2025`, which reproduces
-- the paper, is a mean of ratios with tests + 2. Intervals (95%) come from `statistics`; `over_domains_low` and `_high`
-- are for domains that vary as well.
WITH figures AS (
    FROM statistics WHERE domain = 'all' AND other = ''
), actions AS (
    SELECT edition, setting, player,
           max(value) FILTER (statistic = 'relative_action_count' AND convention = 'perennial')
               AS relative_action_count_perennial,
           max(low) FILTER (statistic = 'relative_action_count' AND convention = 'perennial')
               AS relative_action_count_perennial_low,
           max(high) FILTER (statistic = 'relative_action_count' AND convention = 'perennial')
               AS relative_action_count_perennial_high,
           max(low) FILTER (statistic = 'relative_action_count_over_domains' AND convention = 'perennial')
               AS relative_action_count_perennial_over_domains_low,
           max(high) FILTER (statistic = 'relative_action_count_over_domains' AND convention = 'perennial')
               AS relative_action_count_perennial_over_domains_high,
           max(value) FILTER (statistic = 'excess_tests') AS excess_tests_perennial,
           max(low) FILTER (statistic = 'excess_tests') AS excess_tests_perennial_low,
           max(high) FILTER (statistic = 'excess_tests') AS excess_tests_perennial_high,
           max(value) FILTER (statistic = 'relative_action_count' AND convention = 'kumo-2025')
               AS relative_action_count_kumo_2025,
           max(value) FILTER (statistic = 'mean_tests') AS mean_tests
    FROM figures
    WHERE statistic IN ('relative_action_count', 'relative_action_count_over_domains', 'excess_tests', 'mean_tests')
    GROUP BY ALL
)
SELECT l.*, a.* EXCLUDE (edition, setting, player)
FROM leaderboard AS l
JOIN actions AS a USING (edition, setting, player)
ORDER BY l.edition, l.setting, l.rank NULLS LAST, l.success_rate DESC NULLS LAST, relative_action_count_perennial, l.player
