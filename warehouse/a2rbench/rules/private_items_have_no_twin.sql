-- no public item of A2RBench has the rule, the original or the grids of a private one, in whatever tokens
WITH items AS (
    SELECT a.rule, a.code, a.seed_item, a.examples || a.query || a.answer AS grids, p.instance_id IS NOT NULL AS is_private
    FROM a2rbench_items AS a
    LEFT JOIN private_instances AS p USING (instance_id)
), read AS (
    SELECT *, regexp_extract_all(grids, '"[^"]*"|[^\[\],:{}\s"]+') AS tokens FROM items
), forms AS (
    -- Each token by the place of its first occurrence: a copy in other tokens has the same form.
    SELECT is_private,
           unnest([rule, code, seed_item,
                   regexp_replace(grids, '"[^"]*"|[^\[\],:{}\s"]+', '-', 'g')
                   || list_transform(tokens, lambda token: list_position(tokens, token))::VARCHAR]) AS form
    FROM read
)
SELECT form, count(*) FILTER (is_private) AS private, count(*) FILTER (NOT is_private) AS public
FROM forms
GROUP BY form
HAVING private > 0 AND public > 0
