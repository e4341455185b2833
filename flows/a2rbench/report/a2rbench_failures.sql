-- Why are answers right or wrong, and how do players reason, as each analyst says?
SELECT analyst, player, outcome, what, value, answers, share
FROM a2rbench_failures
WHERE edition = $edition AND domain = 'all' AND variation = 'all'
