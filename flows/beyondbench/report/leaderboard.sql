-- Which player solves how much of each suite and overall, following the instruction how often, in how many tokens?
SELECT * EXCLUDE (edition)
FROM beyondbench_leaderboard
WHERE edition = $edition
