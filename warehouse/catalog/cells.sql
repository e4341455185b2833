-- Some players' episodes on each instance of a setting, counted: whole numbers only, so that no sum depends on its
-- order. `numbered` are the setting's instances, `$players` the players; what a benchmark counts is put in for
-- COUNTS and JOINS. `$version` is the version of the questions, NULL for the usual one.
SELECT (list_position($players, e.player) - 1)::INTEGER AS player, n.number::INTEGER AS instance,
       n.rank::INTEGER AS rank, n.cluster::INTEGER AS cluster,
       count(*) FILTER (e.status <> 'api_error')::INTEGER AS runs,
       count(*) FILTER (e.success)::INTEGER AS solved,
       coalesce(sum(round(e.score * 1e12)::HUGEINT) FILTER (e.status <> 'api_error'), 0) / 1e12 AS score,
       coalesce(sum(e.tokens) FILTER (e.status <> 'api_error'), 0)::BIGINT AS tokens,
       (count(e.tokens) FILTER (e.status <> 'api_error'))::INTEGER AS runs_with_tokens,
       coalesce(sum(round(e.cost_usd * 1e12)::HUGEINT) FILTER (e.status <> 'api_error'), 0) / 1e12 AS cost_usd,
       (count(e.cost_usd) FILTER (e.status <> 'api_error'))::INTEGER AS runs_with_cost,
       COUNTS
FROM episodes AS e
JOIN numbered AS n USING (instance_id)
JOINS
WHERE n.setting = $setting AND list_contains($players, e.player) AND e.version IS NOT DISTINCT FROM $version
GROUP BY e.player, n.number, n.rank, n.cluster
ORDER BY player, instance
