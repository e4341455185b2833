-- Does one player gain more from the usual version of the questions than another player does? Half of the difference of their
-- gains over the instances that both played in both versions, with its 95% interval of `population`. Where the first
-- player wrote the usual version and the other player the other one, it is what a player gains from a text of its own.
SELECT edition, benchmark, setting, convention AS version, player, other AS other_player, n AS instances, value AS preference,
       low AS preference_low, high AS preference_high, population, no_interval
FROM statistics
JOIN editions USING (edition)
WHERE statistic = 'version_preference'
ORDER BY edition, setting, version, player, other_player
