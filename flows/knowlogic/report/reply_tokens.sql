-- Do replies to harder questions take more tokens, and wrong ones more than right ones?
SELECT * EXCLUDE (edition)
FROM knowlogic_tokens
WHERE edition = $edition AND language = 'all'
