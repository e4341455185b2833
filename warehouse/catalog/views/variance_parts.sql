-- What makes successes differ? The variance of a single success of the edition's models in parts, on the instances that all
-- of them answered: domains (harder for all), models x domains, instances, models x instances, and runs; which of these an edition
-- buys down by more domains, instances or runs is what `perennial design` weighs. One row per part of a setting with two models
-- or more.
SELECT edition, benchmark, setting, other AS part, value AS variance, low AS variance_low, high AS variance_high,
       value / nullif(sum(value) OVER (PARTITION BY edition, setting), 0) AS share,
       n AS clusters, population, no_interval, method
FROM statistics
JOIN editions USING (edition)
WHERE statistic = 'variance_part'
ORDER BY edition, setting, list_position(['domain', 'model x domain', 'instance', 'model x instance'], other) NULLS LAST
