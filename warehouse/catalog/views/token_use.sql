-- How many tokens and dollars does each player take for an episode, and for each episode solved?
-- Only episodes whose tokens (or cost) are known count; `episodes_with_tokens` says how many they are. Means are over
-- instances of the mean over runs; the median is over episodes. Tokens of reasoning are apart, where servers count them.
WITH reasoned AS (
    SELECT t.edition, t.evaluation, t.episode_id, sum(c.reasoning_tokens) AS reasoning_tokens
    FROM turns AS t
    JOIN calls AS c USING (edition, evaluation, call_id)
    GROUP BY ALL
    HAVING bool_and(c.reasoning_tokens IS NOT NULL)
), played AS (
    SELECT e.edition, i.benchmark, i.setting, CASE WHEN starts_with(e.player, 'human:') THEN 'human' ELSE e.player END AS player, e.instance_id,
           count(*) AS episodes,
           count(e.tokens) AS with_tokens,
           avg(e.tokens) AS tokens,
           list(e.tokens) FILTER (e.tokens IS NOT NULL) AS all_tokens,
           avg(e.tokens) FILTER (e.success) AS tokens_when_solved,
           count(r.reasoning_tokens) AS with_reasoning_tokens,
           avg(r.reasoning_tokens) AS reasoning_tokens,
           count(e.cost_usd) AS with_cost,
           avg(e.cost_usd) AS cost_usd,
           sum(e.cost_usd) AS all_cost_usd,
           count(*) FILTER (e.success AND e.cost_usd IS NOT NULL) AS solved_with_cost
    FROM episodes AS e
    JOIN instances AS i USING (edition, instance_id)
    LEFT JOIN reasoned AS r USING (edition, evaluation, episode_id)
    WHERE e.status <> 'api_error' AND e.version IS NULL
    GROUP BY ALL
)
SELECT edition, benchmark, setting, player,
       sum(episodes)::BIGINT AS episodes,
       sum(with_tokens)::BIGINT AS episodes_with_tokens,
       avg(tokens) AS mean_tokens,
       list_median(flatten(list(all_tokens))) AS median_tokens,
       avg(tokens_when_solved) AS mean_tokens_when_solved,
       sum(with_reasoning_tokens)::BIGINT AS episodes_with_reasoning_tokens,
       avg(reasoning_tokens) AS mean_reasoning_tokens,
       sum(with_cost)::BIGINT AS episodes_with_cost,
       avg(cost_usd) AS mean_cost_usd,
       sum(all_cost_usd) / nullif(sum(solved_with_cost), 0) AS cost_usd_per_success
FROM played
GROUP BY ALL
ORDER BY edition, setting, mean_tokens NULLS LAST, player
