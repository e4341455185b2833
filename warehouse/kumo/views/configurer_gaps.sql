-- Does it matter which model configured a domain? Success rate on the domains of the first configurer minus that on those of the second
-- (`--second-configurer`), both made of the same proposals, with a 95% interval of `population`.
SELECT edition, setting, domain, player, n AS instances, value AS gap, low AS gap_low, high AS gap_high, population, no_interval
FROM statistics
WHERE statistic = 'configurer_gap'
ORDER BY edition, setting, domain <> 'all', domain, player
