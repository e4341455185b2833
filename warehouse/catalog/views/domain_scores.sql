-- How does each player do in each domain and setting?
-- The same counts as in `leaderboard`; `optimal_tests` is the mean of the optimal policy's tests.
WITH scored AS (
    SELECT e.edition, d.name AS domain, d.category, i.setting, e.player, e.instance_id, e.status, e.success,
           CASE WHEN e.success THEN e.tests + 1 ELSE i.n_actions + 1 END AS actions,
           i.optimal_tests + 1 AS optimum
    FROM episodes AS e
    JOIN kumo_instances AS i USING (edition, instance_id)
    JOIN seed_configs AS c USING (edition, config_id)
    JOIN domains AS d USING (edition, domain_id)
)
SELECT edition, domain, category, setting, player,
       count(DISTINCT instance_id) AS instances,
       count(*) AS attempted,
       count(*) FILTER (status <> 'api_error') AS scored,
       avg(success::INT) FILTER (status <> 'api_error') AS success_rate,
       avg((actions - optimum) / optimum) FILTER (status <> 'api_error') AS relative_action_count,
       avg(optimum - 1) AS optimal_tests
FROM scored
GROUP BY ALL
ORDER BY edition, setting, domain, success_rate DESC, player
