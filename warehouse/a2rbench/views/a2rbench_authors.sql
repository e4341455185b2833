-- How often does each player infer the rules of each author? Over seed and augmented items (P0) together.
-- Intervals (95%) count a rule once. `a2rbench_measures` says how complex the authors' code is.
WITH written AS (
    SELECT edition, author, count(DISTINCT rule) AS rules
    FROM a2rbench_items
    GROUP BY ALL
)
SELECT s.edition, s.other AS author, w.rules, s.player, s.n AS played, s.value AS accuracy, s.low AS accuracy_low,
       s.high AS accuracy_high
FROM statistics AS s
JOIN written AS w ON w.edition = s.edition AND w.author = s.other
WHERE s.statistic = 'accuracy_by_author'
ORDER BY s.edition, author, accuracy DESC, s.player
