-- At which size of a task does a player fall below one half?
-- $edition = %
-- No row: no player solves fewer than half of the problems of any size of BeyondBench.
SELECT edition, suite, domain, player, min(size) AS size, arg_min(accuracy, size) AS accuracy, arg_min(accuracy_high, size) AS accuracy_high
FROM beyondbench_sizes
WHERE edition LIKE $edition AND accuracy < 0.5
GROUP BY edition, suite, domain, player
ORDER BY edition, suite, domain, size, player
