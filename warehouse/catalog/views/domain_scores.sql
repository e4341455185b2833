-- How does each player do in each domain and setting? Rates are means over instances of the mean over runs; intervals (95%)
-- come from `statistics`, which names their population. `domain_name` is the domain as commands name it: `--domains`.
WITH played AS (
    SELECT e.edition, i.benchmark, i.domain, i.setting, CASE WHEN starts_with(e.player, 'human:') THEN 'human' ELSE e.player END AS player, e.instance_id,
           count(*) AS attempted,
           count(*) FILTER (e.status <> 'api_error') AS scored,
           avg(e.success::INT) FILTER (e.status <> 'api_error') AS success_rate,
           avg(e.score) FILTER (e.status <> 'api_error') AS score
    FROM episodes AS e
    JOIN instances AS i USING (edition, instance_id)
    WHERE e.version IS NULL
    GROUP BY ALL
), scores AS (
    SELECT edition, benchmark, domain, setting, player,
           count(*) AS instances,
           sum(attempted)::BIGINT AS attempted,
           sum(scored)::BIGINT AS scored,
           avg(success_rate) AS success_rate,
           avg(score) AS score
    FROM played
    GROUP BY ALL
)
SELECT s.edition, s.benchmark, s.domain, CASE WHEN s.domain LIKE '% %' THEN replace(lower(s.domain), ' ', '_') ELSE s.domain END AS domain_name, s.setting, s.player,
       s.instances, s.attempted, s.scored, s.success_rate, r.low AS success_rate_low, r.high AS success_rate_high, r.population, s.score
FROM scores AS s
LEFT JOIN statistics AS r
  ON r.edition = s.edition AND r.setting = s.setting AND r.domain = s.domain AND r.player = s.player AND r.other = ''
 AND r.statistic = 'success_rate'
ORDER BY s.edition, s.setting, s.domain, s.success_rate DESC, s.player
