-- What did the rules and variations that models wrote cost?
SELECT * EXCLUDE (edition)
FROM a2rbench_author_costs
WHERE edition = $edition
