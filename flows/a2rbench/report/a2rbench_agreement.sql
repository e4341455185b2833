-- How far do analysts agree?
SELECT * EXCLUDE (edition)
FROM a2rbench_agreement
WHERE edition = $edition
