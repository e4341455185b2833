-- How many more actions than a reference does each player take? `convention` names the reference, whose own value is 0.
-- `algorithm-3` is the sum of counts / the sum of Algorithm 3's - 1 with tests + 1 on both sides: negative for the optimum under
-- the promise of one valid truth (`promise_steps`), which needs fewer tests. `optimum` is the same relative to that optimum, on
-- instances where it is proved. `kumo-2025` is the mean of (count - reference) / reference with tests + 2 and Algorithm 3 as the
-- reference, as the authors published. In all of them a failed episode counts as n_actions + 1. Filter by one of them.
SELECT edition, convention, setting, domain, player, n AS episodes, value AS relative_action_count,
       low AS relative_action_count_low, high AS relative_action_count_high,
       population, no_interval, method
FROM statistics
WHERE statistic = 'relative_action_count'
ORDER BY edition, convention, setting, domain, relative_action_count NULLS LAST, player
