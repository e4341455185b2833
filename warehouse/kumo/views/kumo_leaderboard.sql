-- Which player solves how much, and with how many actions, in each setting?
-- `relative_action_count_perennial` is the sum of counts / the sum of optima - 1, counts being tests + 1 (the actions and
-- the one prediction) for player and optimum alike, and n_actions + 1 for an episode that was not solved.
-- `excess_tests_perennial` is tests - optimum, where an episode that ended before its outcomes decided the answer counts as
-- all actions; `guess_share` is the share of episodes that named a truth so. A player whose `mean_tests` are 0 never tests.
-- `relative_action_count_kumo_2025`, which reproduces the paper, is a mean of ratios with tests + 2. Intervals (95%) come
-- from `statistics` and are of `population`; `these_domains_low` and `_high` are for other instances of the same domains.
-- `no_interval` says why there is none.
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
           max(low) FILTER (statistic = 'relative_action_count_these_domains' AND convention = 'perennial')
               AS relative_action_count_perennial_these_domains_low,
           max(high) FILTER (statistic = 'relative_action_count_these_domains' AND convention = 'perennial')
               AS relative_action_count_perennial_these_domains_high,
           max(no_interval) FILTER (statistic = 'relative_action_count' AND convention = 'perennial') AS relative_action_count_perennial_no_interval,
           max(value) FILTER (statistic = 'excess_tests') AS excess_tests_perennial,
           max(low) FILTER (statistic = 'excess_tests') AS excess_tests_perennial_low,
           max(high) FILTER (statistic = 'excess_tests') AS excess_tests_perennial_high,
           max(no_interval) FILTER (statistic = 'excess_tests') AS excess_tests_perennial_no_interval,
           max(value) FILTER (statistic = 'guess_share') AS guess_share,
           max(low) FILTER (statistic = 'guess_share') AS guess_share_low,
           max(high) FILTER (statistic = 'guess_share') AS guess_share_high,
           max(no_interval) FILTER (statistic = 'guess_share') AS guess_share_no_interval,
           max(value) FILTER (statistic = 'relative_action_count' AND convention = 'kumo-2025')
               AS relative_action_count_kumo_2025,
           max(value) FILTER (statistic = 'mean_tests') AS mean_tests
    FROM figures
    WHERE statistic IN ('relative_action_count', 'relative_action_count_these_domains', 'excess_tests', 'guess_share',
                        'mean_tests')
    GROUP BY ALL
)
SELECT l.*, a.* EXCLUDE (edition, setting, player)
FROM leaderboard AS l
JOIN actions AS a USING (edition, setting, player)
ORDER BY l.edition, l.setting, l.rank NULLS LAST, l.success_rate DESC NULLS LAST, relative_action_count_perennial, l.player
