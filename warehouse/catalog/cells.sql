-- Each player's episodes on each instance, counted: whole numbers only, so that no sum depends on its order.
SELECT i.domain, i.setting, e.player, e.instance_id,
       histogram(e.status) AS statuses,
       count(*) FILTER (e.status <> 'api_error') AS runs,
       count(*) FILTER (e.success) AS solved,
       coalesce(sum(round(e.score * 1e12)::HUGEINT) FILTER (e.status <> 'api_error'), 0) / 1e12 AS score,
       coalesce(sum(e.tokens) FILTER (e.status <> 'api_error'), 0)::BIGINT AS tokens,
       count(e.tokens) FILTER (e.status <> 'api_error') AS runs_with_tokens,
       coalesce(sum(round(e.cost_usd * 1e12)::HUGEINT) FILTER (e.status <> 'api_error'), 0) / 1e12 AS cost_usd,
       count(e.cost_usd) FILTER (e.status <> 'api_error') AS runs_with_cost
FROM episodes AS e
JOIN instances AS i USING (instance_id)
GROUP BY ALL
ORDER BY i.setting, i.domain, e.player, e.instance_id
