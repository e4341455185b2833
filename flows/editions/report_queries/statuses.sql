-- How do each player's episodes end? The share of each status among all attempted episodes.
SELECT setting, player, substr(statistic, length('status_') + 1) AS status, n AS attempted,
       value AS share, low AS share_low, high AS share_high, population
FROM statistics
WHERE edition = $edition AND starts_with(statistic, 'status_') AND domain = 'all'
ORDER BY setting, player, status
