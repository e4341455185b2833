-- Which edition of each benchmark do profiles show, and which players have answered it?
SELECT e.benchmark, e.edition, e.created_at, e.freshness, count(DISTINCT p.player) AS players
FROM profiles AS p
JOIN editions AS e USING (edition)
WHERE p.is_newest
GROUP BY ALL
ORDER BY e.benchmark
