-- where a share of an edition is private, there are private and public questions, and none of one kind has the origin of one of the other
WITH drawn AS (
    SELECT i.origin, p.instance_id IS NOT NULL AS is_private
    FROM instances AS i
    LEFT JOIN private_instances AS p USING (instance_id)
)
SELECT origin, count(*) FILTER (is_private) AS private, count(*) FILTER (NOT is_private) AS public
FROM drawn
GROUP BY origin
HAVING private > 0 AND public > 0
UNION ALL
SELECT 'all', counted.*
FROM (SELECT count(*) FILTER (is_private) AS private, count(*) FILTER (NOT is_private) AS public FROM drawn) AS counted
JOIN editions ON (settings::JSON->>'private_share')::DOUBLE > 0
WHERE least(private, public) = 0
