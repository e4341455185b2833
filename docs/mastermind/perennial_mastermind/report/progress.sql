-- How near do players come, guess by guess?
SELECT * EXCLUDE (edition)
FROM mastermind_progress
WHERE edition = $edition
