-- Which instances of KUMO are hard? Figures of Algorithm 3 and of the optimum under the promise of one valid truth beside
-- what players did; episodes that failed at the API do not count.
SELECT i.edition, i.domain, i.setting, i.instance_id, k.expected_steps, k.policy_steps, k.promise_steps, k.promise_status,
       k.optimal_tests, k.promise_tests,
       count(e.episode_id) FILTER (e.status <> 'api_error') AS scored,
       count(DISTINCT e.player) FILTER (e.status <> 'api_error') AS players,
       avg(e.success::INT) FILTER (e.status <> 'api_error') AS share_solved,
       avg(x.tests) FILTER (e.success) AS mean_tests_when_solved
FROM kumo_instances AS k
JOIN instances AS i USING (edition, instance_id)
LEFT JOIN episodes AS e ON e.edition = i.edition AND e.instance_id = i.instance_id AND e.version IS NULL
LEFT JOIN kumo_episodes AS x ON x.edition = e.edition AND x.evaluation = e.evaluation AND x.episode_id = e.episode_id
GROUP BY ALL
ORDER BY i.edition, share_solved NULLS LAST, k.expected_steps DESC, i.instance_id
