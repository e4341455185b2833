-- Each player's rates on instances with one valid truth whose optimum is exact, with their expected steps and floors, for
-- steps at one half: a row for all instances of a cluster that are alike.
SELECT player, setting, cluster, steps, floor, rate, count(*) AS instances
FROM (
    SELECT e.player, i.setting, i.cluster, k.promise_steps AS steps, 1 / k.n_truths AS floor,
           avg(e.success::INTEGER) AS rate
    FROM episodes AS e
    JOIN instances AS i USING (instance_id)
    JOIN kumo_instances AS k USING (instance_id)
    WHERE e.status <> 'api_error' AND e.version IS NULL AND k.n_valid = 1 AND k.promise_status = 'exact'
    GROUP BY e.player, i.setting, i.cluster, k.promise_steps, k.n_truths, e.instance_id
)
GROUP BY ALL
ORDER BY ALL
