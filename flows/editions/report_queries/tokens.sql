-- How many tokens does each player take for a scored episode?
SELECT setting, player, n AS episodes_with_tokens, value AS mean_tokens, low AS mean_tokens_low, high AS mean_tokens_high,
       population, no_interval
FROM statistics
WHERE edition = $edition AND statistic = 'mean_tokens' AND domain = 'all'
ORDER BY setting, mean_tokens NULLS LAST, player
