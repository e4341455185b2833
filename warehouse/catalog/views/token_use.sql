-- How many tokens and dollars does each player take for an episode, and for each instance solved?
-- Only episodes whose tokens (or cost) are known count; `episodes_with_tokens` says how many they are.
SELECT e.edition, i.setting, e.player,
       count(*) AS episodes,
       count(e.tokens) AS episodes_with_tokens,
       avg(e.tokens) AS mean_tokens,
       quantile_cont(e.tokens, 0.5) AS median_tokens,
       avg(e.tokens) FILTER (e.success) AS mean_tokens_when_solved,
       count(e.cost_usd) AS episodes_with_cost,
       avg(e.cost_usd) AS mean_cost_usd,
       sum(e.cost_usd) / nullif(count(*) FILTER (e.success AND e.cost_usd IS NOT NULL), 0) AS cost_usd_a_success
FROM episodes AS e
JOIN instances AS i USING (edition, instance_id)
WHERE e.status <> 'api_error'
GROUP BY ALL
ORDER BY e.edition, i.setting, mean_tokens NULLS LAST, e.player
