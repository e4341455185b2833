-- Does a player do better with the usual version of the questions than with another one of the same questions?
-- Paired by instance: the mean over the instances that the player played in both versions of the difference of its success
-- rates, with its interval (95%, of `population`). No other figure counts episodes of another version.
SELECT d.edition, e.benchmark, d.setting, d.domain, d.player, d.other AS version, d.n AS instances,
       r.value + d.value AS success_rate_usual, r.value AS success_rate_version, d.value AS difference,
       d.low AS difference_low, d.high AS difference_high, d.population, d.no_interval
FROM statistics AS d
JOIN editions AS e USING (edition)
JOIN statistics AS r USING (edition, setting, domain, player, other)
WHERE d.statistic = 'version_difference' AND r.statistic = 'version_rate'
ORDER BY d.edition, d.setting, d.domain, d.player, version
