-- Which instances are hard? Optimal figures beside what players did; episodes that failed at the API do not count.
SELECT i.edition, d.name AS domain, i.setting, i.instance_id, i.expected_steps, i.optimal_tests,
       count(e.episode_id) FILTER (e.status <> 'api_error') AS scored,
       count(DISTINCT e.player) FILTER (e.status <> 'api_error') AS players,
       avg(e.success::INT) FILTER (e.status <> 'api_error') AS share_solved,
       avg(e.tests) FILTER (e.success) AS mean_tests_when_solved
FROM kumo_instances AS i
JOIN seed_configs AS c USING (edition, config_id)
JOIN domains AS d USING (edition, domain_id)
LEFT JOIN episodes AS e USING (edition, instance_id)
GROUP BY ALL
ORDER BY i.edition, share_solved NULLS LAST, i.expected_steps DESC, i.instance_id
