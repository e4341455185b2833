-- How does accuracy fall with size? (the paper's figure 1) A row per player, task and size: the unweighted mean over the
-- variations that have problems of that size, each the mean over these, with a 95% interval for instances that vary.
-- Sizes are in the task's own unit: disks, queens, vertices, digits.
SELECT s.edition, s.setting AS suite, s.domain, s.other::BIGINT AS size, s.player, s.n AS instances,
       s.value AS accuracy, s.low AS accuracy_low, s.high AS accuracy_high
FROM statistics AS s
WHERE s.statistic = 'accuracy_by_size'
ORDER BY s.edition, list_position(['easy', 'medium', 'hard'], suite), s.domain, size, accuracy DESC, s.player
