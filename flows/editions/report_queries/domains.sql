-- How does each player do in each domain and setting?
SELECT setting, domain, player, n AS scored, value AS success_rate, low AS success_rate_low, high AS success_rate_high, population
FROM statistics
WHERE edition = $edition AND statistic = 'success_rate' AND domain <> 'all'
ORDER BY setting, domain, player
