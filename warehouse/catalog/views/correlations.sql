-- Do players that do well here do well there? Pearson and Spearman over players' success rates, between two settings,
-- two domains, or a setting and another benchmark (`external_scores`). n is the number of players.
SELECT edition, statistic AS coefficient, setting, domain, other AS compared_with, n AS players,
       value AS correlation, low, high, p_value, method
FROM statistics
WHERE statistic IN ('pearson', 'spearman')
ORDER BY edition, coefficient, setting, domain, compared_with
