-- no public instance of KUMO lists the truths and actions of a private one, in its domain or its counterfactual, or has its book
WITH forms AS (
    SELECT p.instance_id IS NOT NULL AS is_private,
           to_json({truths: list_sort(k.truths), actions: list_sort(k.actions)})::VARCHAR AS form
    FROM kumo_instances AS k
    LEFT JOIN private_instances AS p USING (instance_id)
    UNION ALL
    SELECT p.instance_id IS NOT NULL, b.text
    FROM kumo_books AS b
    LEFT JOIN private_instances AS p USING (instance_id)
)
SELECT form, count(*) FILTER (is_private) AS private, count(*) FILTER (NOT is_private) AS public
FROM forms
GROUP BY form
HAVING private > 0 AND public > 0
