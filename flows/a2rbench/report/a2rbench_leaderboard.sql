-- Which player infers how many rules, of which kind, and what do copies in other tokens cost?
SELECT * EXCLUDE (edition)
FROM a2rbench_leaderboard
WHERE edition = $edition
