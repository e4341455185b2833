-- How many domains, instances and runs has each setting?
SELECT setting, count(DISTINCT domain), count(DISTINCT instance_id), median(runs)
FROM instances
LEFT JOIN (
    SELECT instance_id, player, count(*) AS runs FROM episodes WHERE edition = $edition GROUP BY ALL
) USING (instance_id)
WHERE edition = $edition
GROUP BY setting
ORDER BY setting
