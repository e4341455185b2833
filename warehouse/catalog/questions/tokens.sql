-- How many tokens does a player use, in all and where it is right?
-- $edition = %
-- No row: no episode has a number of tokens: programs use none, and imports may lack it.
SELECT edition, setting, player, episodes_with_tokens, mean_tokens, mean_tokens_when_solved, mean_reasoning_tokens, mean_cost_usd
FROM token_use
WHERE edition LIKE $edition AND episodes_with_tokens > 0
ORDER BY edition, setting, mean_tokens DESC, player
