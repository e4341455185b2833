-- Do players that do well here do well there? Pearson and Spearman over players' success rates, between two settings,
-- two domains, or a setting and another benchmark (`external_scores`): over the models alone (`over` is `models`), or with
-- programs, controls and training checkpoints (`all`). n is the number of players.
SELECT edition, statistic AS coefficient, player AS over, setting, domain, other AS compared_with, n AS players,
       value AS correlation, low, high, p_value, method
FROM statistics
WHERE statistic IN ('pearson', 'spearman')
ORDER BY edition, coefficient, over, setting, domain, compared_with
