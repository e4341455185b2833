-- What does a right answer cost, in US dollars and in tokens?
-- $edition = %
-- No row: no episode has a number of tokens: programs use none, and imports may lack it.
SELECT edition, player, count(*) AS episodes, count(*) FILTER (success) AS solved, sum(cost_usd) AS cost_usd,
       sum(cost_usd) / nullif(count(*) FILTER (success), 0) AS cost_usd_per_success,
       sum(tokens) / nullif(count(*) FILTER (success), 0) AS tokens_per_success
FROM episodes
WHERE edition LIKE $edition AND tokens IS NOT NULL
GROUP BY edition, player
ORDER BY cost_usd_per_success NULLS LAST, tokens_per_success, player
