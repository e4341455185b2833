-- How does a player do in the newest edition of each benchmark?
-- $player = %
SELECT player, benchmark, setting, score, score_low, score_high, rank, cost_usd
FROM profiles
WHERE is_newest AND domain = 'all' AND player LIKE $player
ORDER BY player, benchmark, setting
