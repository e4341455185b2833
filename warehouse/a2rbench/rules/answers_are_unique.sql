-- on every item of A2RBench that was grown at least one program fits the examples, and none that fits gives another answer
SELECT instance_id, rule, fits, fits_other
FROM a2rbench_items
WHERE author = 'catalogue' AND (fits < 1 OR fits_other > 0)
