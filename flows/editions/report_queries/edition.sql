-- What is this edition?
SELECT e.benchmark, e.created_at, e.code_version,
       count(DISTINCT i.domain) AS domains,
       count(i.instance_id) AS instances,
       (SELECT count(*) FROM episodes WHERE edition = $edition) AS episodes,
       (SELECT count(*) FROM private_instances WHERE edition = $edition) AS private,
       coalesce(list(DISTINCT i.setting ORDER BY i.setting) FILTER (i.setting IS NOT NULL), []) AS setting_names
FROM editions AS e
LEFT JOIN instances AS i USING (edition)
WHERE e.edition = $edition
GROUP BY ALL
