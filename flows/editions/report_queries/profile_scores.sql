-- How good is each player at each benchmark? The newest edition of each, setting by setting.
SELECT benchmark, edition, setting, player, kind, instances, score, score_low, score_high, population, rank, rank_in_kind,
       episodes, episodes_with_cost, cost_usd
FROM profiles
WHERE is_newest AND domain = 'all'
ORDER BY benchmark, setting, rank, player
