-- Which player answers how much of each domain in each language, and on average?
SELECT * EXCLUDE (edition)
FROM knowlogic_leaderboard
WHERE edition = $edition
