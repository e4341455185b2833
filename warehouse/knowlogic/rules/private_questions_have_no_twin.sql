-- no public question of KnowLogic has the pair, the problem in whatever words, or the statements of a private one
WITH forms AS (
    SELECT p.instance_id IS NOT NULL AS is_private,
           unnest([q.pair, q.payload, json_extract(q.payload, ['$.scenario', '$.entities', '$.details', '$.statements'])::VARCHAR, q.text]) AS form
    FROM knowlogic_questions AS q
    LEFT JOIN private_instances AS p USING (instance_id)
)
SELECT form, count(*) FILTER (is_private) AS private, count(*) FILTER (NOT is_private) AS public
FROM forms
WHERE form IS NOT NULL
GROUP BY form
HAVING private > 0 AND public > 0
