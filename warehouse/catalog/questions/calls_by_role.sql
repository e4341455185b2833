-- What did model calls cost, by role and model?
-- $edition = %
-- No row: no model was called: programs make no calls, and imported answers bring none.
SELECT edition, evaluation, role, model, count(*) AS calls, sum(prompt_tokens) AS prompt_tokens,
       sum(completion_tokens) AS completion_tokens, sum(cost_usd) AS cost_usd
FROM calls
WHERE edition LIKE $edition
GROUP BY edition, evaluation, role, model
ORDER BY cost_usd DESC NULLS LAST, calls DESC, role, model
