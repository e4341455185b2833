-- Each player's episodes on each instance, counted: whole numbers only, so that no sum depends on its order.
SELECT d.name AS domain, i.setting, e.player, e.instance_id, i.signature, i.n_actions, i.optimal_tests,
       histogram(e.status) AS statuses,
       count(*) FILTER (e.status <> 'api_error') AS runs,
       count(*) FILTER (e.success) AS solved,
       coalesce(sum(e.tests) FILTER (e.status <> 'api_error'), 0)::BIGINT AS tests,
       coalesce(sum(e.tests) FILTER (e.success), 0)::BIGINT AS solved_tests,
       coalesce(sum(e.tokens) FILTER (e.status <> 'api_error'), 0)::BIGINT AS tokens,
       count(e.tokens) FILTER (e.status <> 'api_error') AS runs_with_tokens,
       coalesce(sum(round(e.cost_usd * 1e12)::HUGEINT) FILTER (e.status <> 'api_error'), 0) / 1e12 AS cost_usd,
       count(e.cost_usd) FILTER (e.status <> 'api_error') AS runs_with_cost
FROM episodes AS e
JOIN kumo_instances AS i USING (instance_id)
JOIN seed_configs AS c USING (config_id)
JOIN domains AS d USING (domain_id)
GROUP BY ALL
ORDER BY i.setting, d.name, e.player, e.instance_id
