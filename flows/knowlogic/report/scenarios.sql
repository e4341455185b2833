-- Which scenarios are hard for whom?
SELECT * EXCLUDE (edition)
FROM knowlogic_scenarios
WHERE edition = $edition AND language = 'all'
