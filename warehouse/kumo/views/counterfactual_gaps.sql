-- What is a player's knowledge of the true facts worth? Its success rate on true domains minus that on their counterfactuals
-- (the same names, the facts exchanged) in the same edition, with a 95% interval of `population`.
SELECT edition, setting, domain, player, n AS instances, value AS gap, low AS gap_low, high AS gap_high, population, no_interval
FROM statistics
WHERE statistic = 'counterfactual_gap'
ORDER BY edition, setting, domain <> 'all', domain, player
