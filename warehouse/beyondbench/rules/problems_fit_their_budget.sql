-- prompt and solution of a problem of BeyondBench take at most 85% of its budget of tokens, and a known solution counts
SELECT instance_id, domain, variation, prompt_tokens, solution_tokens, context_tokens
FROM beyondbench_instances
JOIN instances USING (instance_id)
WHERE 100 * (prompt_tokens + solution_tokens) > 85 * context_tokens OR solutions < 1
