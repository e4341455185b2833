-- How complex is the code of the rules, by dimension, type and author?
SELECT * EXCLUDE (edition)
FROM a2rbench_measures
WHERE edition = $edition
