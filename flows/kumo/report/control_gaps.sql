-- What does each model owe to its book, and each player to its knowledge of the facts, and in which domains?
SELECT variant, setting, domain, player, control, instances, gap, gap_low, gap_high, population, no_interval
FROM (
    SELECT edition, variant, setting, domain, player, control, instances, gap, gap_low, gap_high, population, no_interval
    FROM control_gaps
    UNION ALL
    SELECT edition, 'counterfactual', setting, domain, player, 'on exchanged facts', instances, gap, gap_low, gap_high,
           population, no_interval
    FROM counterfactual_gaps
)
WHERE edition = $edition
ORDER BY variant, setting, domain <> 'all', domain, player
