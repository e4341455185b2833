-- What is wrong about wrong letters?
SELECT * EXCLUDE (edition)
FROM knowlogic_errors
WHERE edition = $edition AND language = 'all' AND difficulty = 'all'
