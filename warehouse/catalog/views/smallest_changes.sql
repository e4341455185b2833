-- Which change of a model from this edition to the next one is no chance? The next edition is of the same size, with domains and
-- instances of its own: a change of the success rate above beyond_chance has p < .05, and one of detectable_change is found so
-- with power .8. One row per model and setting.
SELECT c.edition, l.benchmark, c.setting, c.player, l.success_rate,
       any_value(c.value) FILTER (c.statistic = 'change_beyond_chance') AS beyond_chance,
       any_value(c.value) FILTER (c.statistic = 'change_detectable') AS detectable_change,
       any_value(c.n) AS clusters, any_value(c.population) AS population
FROM statistics AS c
JOIN leaderboard AS l USING (edition, setting, player)
WHERE c.statistic IN ('change_beyond_chance', 'change_detectable')
GROUP BY ALL
ORDER BY c.edition, c.setting, beyond_chance, c.player
