-- How often does each player infer the rules of each author?
SELECT * EXCLUDE (edition)
FROM a2rbench_authors
WHERE edition = $edition
