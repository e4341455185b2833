-- no program that fits an item of A2RBench that was grown gives another answer, and of a rule of the catalogue at least one fits
SELECT instance_id, rule, fits, fits_other
FROM a2rbench_items
WHERE (author = 'catalogue' AND fits < 1)
   OR (fits_other > 0 AND (author = 'catalogue' OR rule IN (SELECT rule FROM a2rbench_rules)))
