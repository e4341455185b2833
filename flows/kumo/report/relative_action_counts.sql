-- How many more actions than Algorithm 3 does each player take, under each convention of counting?
SELECT convention, setting, player, episodes, relative_action_count, relative_action_count_low, relative_action_count_high,
       population, no_interval
FROM relative_action_count
WHERE edition = $edition AND domain = 'all'
ORDER BY convention DESC, setting, relative_action_count NULLS LAST, player
