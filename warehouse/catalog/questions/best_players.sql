-- Who leads each setting, with intervals and places?
-- $edition = %
-- No row: no player has a success rate: nobody has played, or all calls failed.
SELECT edition, setting, place, player_group, rank, player, success_rate, success_rate_low, success_rate_high, rank_low, rank_high
FROM leaderboard
WHERE edition LIKE $edition
ORDER BY edition, setting, place, player
