-- How does each player do in each domain and setting? Rates are means over instances of the mean over runs.
WITH played AS (
    SELECT e.edition, i.benchmark, i.domain, i.setting, e.player, e.instance_id,
           count(*) AS attempted,
           count(*) FILTER (e.status <> 'api_error') AS scored,
           avg(e.success::INT) FILTER (e.status <> 'api_error') AS success_rate,
           avg(e.score) FILTER (e.status <> 'api_error') AS score
    FROM episodes AS e
    JOIN instances AS i USING (edition, instance_id)
    WHERE e.version IS NULL
    GROUP BY ALL
)
SELECT edition, benchmark, domain, setting, player,
       count(*) AS instances,
       sum(attempted)::BIGINT AS attempted,
       sum(scored)::BIGINT AS scored,
       avg(success_rate) AS success_rate,
       avg(score) AS score
FROM played
GROUP BY ALL
ORDER BY edition, setting, domain, success_rate DESC, player
