-- Each player's mean rate in each domain of an edition, for the common scale: the mean over instances of the mean over
-- runs, with the sum of squared gaps between instances. Episodes that ended by an API error and other versions of the
-- questions do not count; people are one player.
WITH each AS (
    SELECT i.benchmark, i.setting, e.edition, i.domain, PLAYER AS player, e.instance_id,
           count(*) AS runs, count(*) FILTER (e.success) / count(*) AS rate
    FROM episodes AS e
    JOIN instances AS i ON i.instance_id = e.instance_id
    WHERE e.edition = EDITION AND i.edition = EDITION AND e.status <> 'api_error' AND e.version IS NULL
    GROUP BY ALL
)
SELECT benchmark, setting, edition, domain, player, round(avg(rate), 12) AS rate,
       round(greatest(var_pop(rate), 0) * count(*), 9) AS squares, count(*) AS instances, avg(runs) AS runs
FROM each
GROUP BY ALL
ORDER BY ALL
