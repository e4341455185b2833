-- How do players do in the Hard suite who have a score in a fixed benchmark?
SELECT * EXCLUDE (edition)
FROM beyondbench_static
WHERE edition = $edition
