-- What does each model owe to its book, and in which domains?
SELECT variant, setting, domain, player, control, instances, gap, low, high, population, no_interval
FROM control_gaps
WHERE edition = $edition
ORDER BY variant, setting, domain <> 'all', domain, player
