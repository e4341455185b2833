-- How do accuracy, wrong answers and the compression of inputs go from V0 to V9?
SELECT * EXCLUDE (edition)
FROM a2rbench_curve
WHERE edition = $edition
