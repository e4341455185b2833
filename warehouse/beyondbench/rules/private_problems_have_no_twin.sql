-- no public problem of BeyondBench has the parameters or the text of a private one
WITH forms AS (
    SELECT p.instance_id IS NOT NULL AS is_private, unnest([i.domain || ' ' || b.payload, b.prompt]) AS form
    FROM beyondbench_instances AS b
    JOIN instances AS i USING (instance_id)
    LEFT JOIN private_instances AS p USING (instance_id)
)
SELECT form, count(*) FILTER (is_private) AS private, count(*) FILTER (NOT is_private) AS public
FROM forms
GROUP BY form
HAVING private > 0 AND public > 0
