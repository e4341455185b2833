-- What is known of each item? In the order of ids; `original` is the number of an item's original, from 0.
WITH numbered AS (
    SELECT *, row_number() OVER (ORDER BY instance_id) - 1 AS number FROM a2rbench_items
)
SELECT i.rule, i.type, i.dimension, i.variation, i.author, i.gzip, i.answer, coalesce(o.number, -1) AS original
FROM numbered AS i
LEFT JOIN numbered AS o ON i.of = o.instance_id
ORDER BY i.number
