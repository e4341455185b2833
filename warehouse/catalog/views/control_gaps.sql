-- What does a model owe to how it is asked? Its success rate minus that of the same model as a control, over the instances
-- that both played, with a 95% interval of `population`. `tools`: it may run scripts, so that a gap below 0 is what they add.
-- Of KUMO, `closed`: without the book, and the rules of the bundled domains are true, so that knowledge may replace reading;
-- `symbolic`: with the rules as a mapping instead of the book.
SELECT edition, benchmark, setting, domain, player, other AS control, convention AS variant, n AS instances, value AS gap, low AS gap_low, high AS gap_high,
       population, no_interval
FROM statistics
JOIN editions USING (edition)
WHERE statistic = 'control_gap'
ORDER BY edition, variant, setting, domain <> 'all', domain, player
