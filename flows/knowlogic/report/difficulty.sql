-- Does accuracy fall from easy to hard questions in each domain?
SELECT * EXCLUDE (edition)
FROM knowlogic_difficulty
WHERE edition = $edition AND language = 'all'
