-- How did the secret split an edition's instances? One row per instance of `numbered`, in its order: its origin, its side, and the
-- stratum within which any other split of origins would have been as likely. `$commitment` and `$share` are the edition's;
-- the SQL of view private_instances is put in for the name in capitals.
WITH editions AS (
    SELECT DISTINCT edition, $commitment AS seed_commitment, json_object('private_share', $share)::VARCHAR AS settings FROM instances
), origins AS (
    SELECT i.origin, min(i.domain) AS domain, min(i.setting) AS setting, bool_or(p.instance_id IS NOT NULL) AS is_private
    FROM instances AS i
    LEFT JOIN PRIVATE_INSTANCES AS p ON p.instance_id = i.instance_id
    GROUP BY i.origin
), cells AS (
    SELECT *, count(*) OVER cell AS size, (count(*) FILTER (is_private) OVER cell) IN (0, count(*) OVER cell) AS is_one_sided
    FROM origins
    WINDOW cell AS (PARTITION BY domain, setting)
), strata AS (
    -- Cells too small to have both sides: which of those of one size got a private origin was drawn too.
    SELECT origin, is_private, dense_rank() OVER (ORDER BY origin) - 1 AS number,
           dense_rank() OVER (ORDER BY setting, is_one_sided, CASE WHEN is_one_sided THEN size::VARCHAR ELSE domain END) - 1 AS stratum
    FROM cells
)
SELECT n.setting, s.number AS origin, s.stratum, s.is_private
FROM numbered AS n
JOIN instances AS i USING (instance_id)
JOIN strata AS s ON s.origin = i.origin
ORDER BY n.setting, n.number
