-- Do replies get longer, and right less often, as the level rises?
SELECT * EXCLUDE (edition)
FROM knowlogic_levels
WHERE edition = $edition AND language = 'all'
