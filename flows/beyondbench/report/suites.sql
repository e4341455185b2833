-- Which suites does the edition have, in the paper's order?
SELECT DISTINCT suite AS setting, list_position(['easy', 'medium', 'hard'], suite) AS place
FROM beyondbench_instances
WHERE edition = $edition
ORDER BY place
