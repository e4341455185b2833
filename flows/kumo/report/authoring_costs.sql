-- What did the authors' calls for each domain cost?
SELECT domain, category, stage, calls, prompt_tokens, completion_tokens, cost_usd, calls_without_cost
FROM authoring_costs
WHERE edition = $edition
ORDER BY domain NULLS LAST, stage
