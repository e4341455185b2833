-- What was each player not asked, as its own budget of tokens does not hold it?
SELECT * EXCLUDE (edition)
FROM beyondbench_unasked
WHERE edition = $edition
