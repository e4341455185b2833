-- What KUMO counts beside the shared counts of a player's episodes on an instance.
SELECT e.player, e.instance_id, k.signature, k.n_actions, k.optimal_tests,
       coalesce(sum(x.tests) FILTER (e.status <> 'api_error'), 0)::BIGINT AS tests,
       coalesce(sum(x.tests) FILTER (e.success), 0)::BIGINT AS solved_tests
FROM episodes AS e
JOIN kumo_episodes AS x USING (episode_id)
JOIN kumo_instances AS k USING (instance_id)
GROUP BY ALL
