-- How many more actions than each reference does each player take?
SELECT convention, setting, player, episodes, relative_action_count, relative_action_count_low, relative_action_count_high,
       population, no_interval
FROM relative_action_count
WHERE edition = $edition AND domain = 'all'
ORDER BY convention, setting, relative_action_count NULLS LAST, player
