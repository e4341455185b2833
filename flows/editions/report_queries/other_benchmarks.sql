-- How did the same players do in other benchmarks?
SELECT x.benchmark, l.setting, l.player, x.score, x.source, l.success_rate, l.success_rate_low, l.success_rate_high,
       l.population
FROM leaderboard AS l
JOIN external_scores AS x USING (player)
WHERE l.edition = $edition AND l.success_rate IS NOT NULL
ORDER BY x.benchmark, x.source, l.setting, l.player
