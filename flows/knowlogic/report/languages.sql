-- In which language does a player answer the same questions better?
SELECT * EXCLUDE (edition)
FROM knowlogic_languages
WHERE edition = $edition
