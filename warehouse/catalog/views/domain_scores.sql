-- How does each player do in each domain and setting?
SELECT e.edition, i.benchmark, i.domain, i.setting, e.player,
       count(DISTINCT e.instance_id) AS instances,
       count(*) AS attempted,
       count(*) FILTER (e.status <> 'api_error') AS scored,
       avg(e.success::INT) FILTER (e.status <> 'api_error') AS success_rate,
       avg(e.score) FILTER (e.status <> 'api_error') AS score
FROM episodes AS e
JOIN instances AS i USING (edition, instance_id)
GROUP BY ALL
ORDER BY e.edition, i.setting, i.domain, success_rate DESC, e.player
