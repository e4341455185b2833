-- What would the paper's tables 1, 4 and 8 say of each player? They count copies in other tokens (P1) as further items.
-- So an item with a copy counts twice, and a player that stumbles over tokens loses in every column. The leaderboard counts
-- each item once. Intervals (95%) of the total count a rule once; on `--size human` the row is table 8's.
SELECT edition, player, any_value(n) FILTER (other = '') AS played,
       any_value(value) FILTER (other = '') AS total_accuracy, any_value(low) FILTER (other = '') AS total_accuracy_low,
       any_value(high) FILTER (other = '') AS total_accuracy_high,
       any_value(value) FILTER (other = 'symbolic') AS symbolic_accuracy,
       any_value(value) FILTER (other = 'semantic') AS semantic_accuracy,
       any_value(value) FILTER (other = 'seed') AS seed_accuracy,
       any_value(value) FILTER (other = 'augmented') AS augmented_accuracy,
       any_value(value) FILTER (other = 'line') AS line_accuracy,
       any_value(value) FILTER (other = 'grid') AS grid_accuracy,
       any_value(value) FILTER (other = 'cube') AS cube_accuracy
FROM statistics
WHERE statistic = 'paper_accuracy'
GROUP BY edition, player
ORDER BY edition, total_accuracy DESC, player
