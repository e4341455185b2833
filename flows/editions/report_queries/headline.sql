-- Which player solves how much, and with how many actions, in each setting?
SELECT setting, player, instances, attempted, scored,
       success_rate, success_rate_low, success_rate_high,
       relative_action_count, relative_action_count_low, relative_action_count_high
FROM leaderboard
WHERE edition = $edition
ORDER BY setting, success_rate DESC NULLS LAST, relative_action_count NULLS LAST, player
