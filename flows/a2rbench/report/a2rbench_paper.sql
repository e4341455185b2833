-- What would the paper's tables say of each player?
SELECT * EXCLUDE (edition)
FROM a2rbench_paper
WHERE edition = $edition
