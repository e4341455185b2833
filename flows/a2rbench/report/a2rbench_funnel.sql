-- How much of what models wrote of rules and variations passed each step?
SELECT * EXCLUDE (edition)
FROM a2rbench_funnel
WHERE edition = $edition
