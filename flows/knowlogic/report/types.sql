-- Does it matter how a question is asked, and how many letters are right?
SELECT * EXCLUDE (edition)
FROM knowlogic_types
WHERE edition = $edition AND language = 'all' AND domain = 'all' AND label <> 'chain_length'
