-- How do accuracy and the variety of wrong answers change from variation to variation?
-- $edition = %
-- No row: nobody has played an edition of A2RBench.
SELECT edition, player, variation, items, accuracy, accuracy_low, accuracy_high, wrong_items, wrong_entropy
FROM a2rbench_curve
WHERE edition LIKE $edition
ORDER BY edition, player, variation
