-- How well do people do where one person counts for each instance, as in the paper? Of several persons who played an instance,
-- one is drawn by the edition's commitment; the others stay in `episodes` and in all other figures.
WITH drawn AS (
    SELECT e.edition, i.benchmark, i.domain, i.setting, e.player, e.success, e.turns,
           row_number() OVER (
               PARTITION BY e.edition, e.instance_id
               ORDER BY sha256(coalesce(v.seed_commitment, '') || ' person ' || e.instance_id || ' ' || e.player)
           ) AS place
    FROM episodes AS e
    JOIN instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id
    JOIN editions AS v ON v.edition = e.edition
    WHERE starts_with(e.player, 'human:')
)
SELECT edition, benchmark, setting, domain, count(*) AS instances, count(DISTINCT player) AS people,
       avg(success::INT) AS success_rate, avg(turns) AS turns
FROM drawn
WHERE place = 1
GROUP BY edition, benchmark, setting, domain
ORDER BY edition, setting, domain
