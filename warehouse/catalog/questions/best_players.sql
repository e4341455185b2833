-- Who leads each setting, with intervals and places?
-- $edition = %
SELECT edition, setting, place, player_group, rank, player, success_rate, success_rate_low, success_rate_high, rank_low, rank_high
FROM leaderboard
WHERE edition LIKE $edition
ORDER BY edition, setting, place, player
