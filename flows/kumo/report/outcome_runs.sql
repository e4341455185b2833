-- How many runs succeeded on each instance that an imported release does not have?
SELECT domain, setting, player, list(runs ORDER BY seed) AS runs, list(solved ORDER BY seed) AS solved
FROM kumo_outcome_runs
WHERE edition = $edition
GROUP BY ALL
ORDER BY setting, domain, player
