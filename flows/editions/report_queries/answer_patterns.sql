-- Which players solved which instances? One row for all instances of a domain on which each player had the same result:
-- `solved` of `runs` scored runs, in the order of `players`.
WITH answers AS (
    SELECT i.setting, i.domain, e.instance_id, e.player, count(*) FILTER (e.success) AS solved, count(*) AS runs
    FROM episodes AS e
    JOIN instances AS i USING (edition, instance_id)
    WHERE e.edition = $edition AND e.status <> 'api_error' AND e.version IS NULL
    GROUP BY ALL
), patterns AS (
    SELECT setting, domain, instance_id,
           list(player ORDER BY player) AS players,
           list(solved ORDER BY player) AS solved,
           list(runs ORDER BY player) AS runs
    FROM answers
    GROUP BY ALL
)
SELECT setting, domain, players, solved, runs, count(*) AS instances
FROM patterns
GROUP BY ALL
ORDER BY setting, domain, players, solved, runs
