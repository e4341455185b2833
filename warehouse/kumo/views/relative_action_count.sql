-- How many more actions than the play of Algorithm 3 does each player take, under each convention of counting? It may be
-- negative: the optimum under the promise of one valid truth (`promise_steps`) needs fewer tests.
-- `perennial` is the sum of counts / the sum of optima - 1 with tests + 1 on both sides; `kumo-2025` the mean of
-- (count - optimum) / optimum with tests + 2, as the authors published. In both a failed episode counts as n_actions + 1.
-- The two are never mixed: filter by one of them.
SELECT edition, convention, setting, domain, player, n AS episodes, value AS relative_action_count,
       low AS relative_action_count_low, high AS relative_action_count_high,
       population, no_interval, method
FROM statistics
WHERE statistic = 'relative_action_count'
ORDER BY edition, convention, setting, domain, relative_action_count NULLS LAST, player
