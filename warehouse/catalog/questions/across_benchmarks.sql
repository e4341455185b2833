-- How does a player do in the newest edition of each benchmark?
-- $player = %
-- No row: no player answered instances of a newest edition that all players of its kind have in common.
SELECT player, benchmark, setting, score, score_low, score_high, rank, cost_usd
FROM profiles
WHERE is_newest AND domain = 'all' AND player LIKE $player
ORDER BY player, benchmark, setting
