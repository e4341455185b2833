-- Which player solves how much, and with how many actions, in each setting?
-- `relative_action_count_algorithm_3` is the sum of counts / the sum of Algorithm 3's - 1, counts being tests + 1 (the actions and
-- the one prediction) for both, and n_actions + 1 for an episode that was not solved. `relative_action_count_optimum` is the same
-- with the optimum in place of Algorithm 3: the optimum is 0 and Algorithm 3 above it, on instances whose optimum is proved.
-- `excess_tests_algorithm_3` is tests - Algorithm 3's expected ones given the lists (`excess_tests_kumo_2025`: its tests on the same
-- outcomes, which have the same mean and more luck), where an episode that ended before its outcomes decided the answer counts as
-- all actions; `guess_share` is the share of episodes that named a truth so. A player whose `mean_tests` are 0 never tests.
-- `relative_action_count_kumo_2025`, which reproduces the paper, is a mean of ratios with tests + 2. Intervals (95%) come
-- from `statistics` and are of `population`; `these_domains_low` and `_high` are for other instances of the same domains.
-- `no_interval` says why there is none.
WITH figures AS (
    FROM statistics WHERE domain = 'all' AND other = ''
), actions AS (
    SELECT edition, setting, player,
           max(value) FILTER (statistic = 'relative_action_count' AND convention = 'algorithm-3')
               AS relative_action_count_algorithm_3,
           max(low) FILTER (statistic = 'relative_action_count' AND convention = 'algorithm-3')
               AS relative_action_count_algorithm_3_low,
           max(high) FILTER (statistic = 'relative_action_count' AND convention = 'algorithm-3')
               AS relative_action_count_algorithm_3_high,
           max(low) FILTER (statistic = 'relative_action_count_these_domains' AND convention = 'algorithm-3')
               AS relative_action_count_algorithm_3_these_domains_low,
           max(high) FILTER (statistic = 'relative_action_count_these_domains' AND convention = 'algorithm-3')
               AS relative_action_count_algorithm_3_these_domains_high,
           max(no_interval) FILTER (statistic = 'relative_action_count' AND convention = 'algorithm-3') AS relative_action_count_algorithm_3_no_interval,
           max(value) FILTER (statistic = 'relative_action_count' AND convention = 'optimum') AS relative_action_count_optimum,
           max(low) FILTER (statistic = 'relative_action_count' AND convention = 'optimum') AS relative_action_count_optimum_low,
           max(high) FILTER (statistic = 'relative_action_count' AND convention = 'optimum') AS relative_action_count_optimum_high,
           max(value) FILTER (statistic = 'excess_tests' AND convention = 'algorithm-3') AS excess_tests_algorithm_3,
           max(low) FILTER (statistic = 'excess_tests' AND convention = 'algorithm-3') AS excess_tests_algorithm_3_low,
           max(high) FILTER (statistic = 'excess_tests' AND convention = 'algorithm-3') AS excess_tests_algorithm_3_high,
           max(no_interval) FILTER (statistic = 'excess_tests' AND convention = 'algorithm-3')
               AS excess_tests_algorithm_3_no_interval,
           max(value) FILTER (statistic = 'excess_tests' AND convention = 'kumo-2025') AS excess_tests_kumo_2025,
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
ORDER BY l.edition, l.setting, l.place, l.player
