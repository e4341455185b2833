-- Is 2D harder than 1D and 3D, and whose rules make it so? (the paper's figure 3 and table 5)
-- A row per author (and `all`), dimension and player. `accuracy` is over seed and augmented items (P0), as everywhere here;
-- `paper_accuracy` counts copies in other tokens as items too, as the paper's tables do. Intervals (95%) count a rule once.
WITH figures AS (
    SELECT edition, player, value, low, high, n, starts_with(statistic, 'paper_') AS is_papers,
           CASE WHEN other IN ('line', 'grid', 'cube') AND NOT contains(statistic, 'by_author') THEN 'all' ELSE other END AS author,
           CASE WHEN contains(statistic, 'by_author') THEN string_split(statistic, '_')[-1] ELSE other END AS shape
    FROM statistics
    WHERE (statistic = 'item_accuracy' AND setting = 'all' AND other IN ('line', 'grid', 'cube'))
       OR (statistic = 'paper_accuracy' AND other IN ('line', 'grid', 'cube'))
       OR regexp_matches(statistic, '^(paper_)?accuracy_by_author_(line|grid|cube)$')
)
SELECT edition, author, list_position(['line', 'grid', 'cube'], shape) || 'D' AS dimension, player,
       any_value(n) FILTER (NOT is_papers) AS played, any_value(value) FILTER (NOT is_papers) AS accuracy,
       any_value(low) FILTER (NOT is_papers) AS accuracy_low, any_value(high) FILTER (NOT is_papers) AS accuracy_high,
       any_value(value) FILTER (is_papers) AS paper_accuracy, any_value(low) FILTER (is_papers) AS paper_accuracy_low,
       any_value(high) FILTER (is_papers) AS paper_accuracy_high
FROM figures
GROUP BY edition, author, shape, player
ORDER BY edition, author <> 'all', author, player, dimension
