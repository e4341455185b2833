-- How does each player do in each cell, a variation of a task, the unit of which all other means of BeyondBench are made?
-- The unit is the instance; intervals (95%) are for instances that vary.
WITH problems AS (
    SELECT edition, suite, domain, variation, count(*) AS problems, min(size) AS least_size, max(size) AS largest_size,
           count(*) FILTER (reused) AS reused_problems
    FROM beyondbench_instances
    JOIN instances USING (edition, instance_id)
    GROUP BY ALL
), figures AS (
    SELECT edition, domain, other AS variation, player,
           any_value(n) FILTER (statistic = 'accuracy') AS instances,
           any_value(value) FILTER (statistic = 'accuracy') AS accuracy,
           any_value(low) FILTER (statistic = 'accuracy') AS accuracy_low,
           any_value(high) FILTER (statistic = 'accuracy') AS accuracy_high,
           any_value(n) FILTER (statistic = 'common_accuracy') AS common_instances,
           any_value(value) FILTER (statistic = 'common_accuracy') AS common_accuracy,
           any_value(low) FILTER (statistic = 'common_accuracy') AS common_accuracy_low,
           any_value(high) FILTER (statistic = 'common_accuracy') AS common_accuracy_high,
           any_value(value) FILTER (statistic = 'best_accuracy') AS best_accuracy,
           any_value(low) FILTER (statistic = 'best_accuracy') AS best_accuracy_low,
           any_value(high) FILTER (statistic = 'best_accuracy') AS best_accuracy_high,
           any_value(value) FILTER (statistic = 'instruction_following') AS instruction_following,
           any_value(low) FILTER (statistic = 'instruction_following') AS instruction_following_low,
           any_value(high) FILTER (statistic = 'instruction_following') AS instruction_following_high,
           any_value(value) FILTER (statistic = 'instruction_following_any') AS instruction_following_any,
           any_value(value) FILTER (statistic = 'response_tokens') AS response_tokens,
           any_value(low) FILTER (statistic = 'response_tokens') AS response_tokens_low,
           any_value(high) FILTER (statistic = 'response_tokens') AS response_tokens_high,
           any_value(value) FILTER (statistic = 'invalid_share') AS invalid_share
    FROM statistics
    WHERE other <> '' AND statistic IN
        ('accuracy', 'common_accuracy', 'best_accuracy', 'instruction_following', 'instruction_following_any', 'response_tokens',
         'invalid_share')
    GROUP BY ALL
)
SELECT p.*, f.* EXCLUDE (edition, domain, variation)
FROM problems AS p
JOIN figures AS f USING (edition, domain, variation)
ORDER BY p.edition, list_position(['easy', 'medium', 'hard'], p.suite), p.domain, p.variation, f.accuracy DESC, f.player
