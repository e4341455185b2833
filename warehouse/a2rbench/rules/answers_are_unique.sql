-- no program that fits an item of A2RBench that was grown gives another answer, and of a rule of perennial's at least one fits
WITH items AS (SELECT *, author IN ('drawn', 'catalogue') AS is_ours FROM a2rbench_items)
SELECT instance_id, rule, fits, fits_other
FROM items
WHERE (is_ours AND fits < 1)
   OR (fits_other > 0 AND (is_ours OR rule IN (SELECT rule FROM a2rbench_rules)))
