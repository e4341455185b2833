-- How does each player do in each suite and task of BeyondBench, and overall?
-- `domain`, the task, is `all` for a suite; `suite` is `overall` for the mean of the three, which only players with scored
-- answers in each have. A task is the unweighted mean of its cells (task x variation), a suite of its tasks: not a mean
-- over instances, as `success_rate` is. Replies from which nothing was read are wrong (`invalid_share` of them). A deviation
-- is the population's across cells, as the paper prints it; intervals (95%) are for other instances of the
-- same cells. Cells in which the player has no scored answer are not in its figures: compare `cells` with
-- `cells_of_edition`, and players by `common_accuracy`, over the problems that all with at least half of a suite have.
-- `best_accuracy` counts best answers alone, where a task takes others too. `response_tokens` is the paper's token efficiency, and NULL for programs;
-- `accuracy_per_1000_tokens` is what the authors' website calls efficiency.
WITH figures AS (
    SELECT edition, CASE setting WHEN 'all' THEN 'overall' ELSE setting END AS suite, domain, player,
           any_value(n) FILTER (statistic = 'accuracy_deviation') AS cells,
           any_value(n) FILTER (statistic = 'accuracy') AS instances,
           any_value(value) FILTER (statistic = 'accuracy') AS accuracy,
           any_value(value) FILTER (statistic = 'accuracy_deviation') AS accuracy_deviation,
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
           any_value(value) FILTER (statistic = 'instruction_following_deviation') AS instruction_following_deviation,
           any_value(low) FILTER (statistic = 'instruction_following') AS instruction_following_low,
           any_value(high) FILTER (statistic = 'instruction_following') AS instruction_following_high,
           any_value(value) FILTER (statistic = 'instruction_following_any') AS instruction_following_any,
           any_value(value) FILTER (statistic = 'response_tokens') AS response_tokens,
           any_value(value) FILTER (statistic = 'response_tokens_deviation') AS response_tokens_deviation,
           any_value(low) FILTER (statistic = 'response_tokens') AS response_tokens_low,
           any_value(high) FILTER (statistic = 'response_tokens') AS response_tokens_high,
           any_value(value) FILTER (statistic = 'invalid_share') AS invalid_share,
           any_value(low) FILTER (statistic = 'invalid_share') AS invalid_share_low,
           any_value(high) FILTER (statistic = 'invalid_share') AS invalid_share_high,
           any_value(population) FILTER (statistic = 'accuracy') AS population,
           any_value(value) FILTER (statistic = 'tokens_valid') AS tokens_valid,
           any_value(value) FILTER (statistic = 'tokens_warning') AS tokens_warning,
           any_value(value) FILTER (statistic = 'tokens_overflow') AS tokens_overflow
    FROM statistics
    WHERE other = ''
    GROUP BY ALL
    HAVING count(*) FILTER (statistic = 'accuracy') > 0
), planned AS (
    SELECT edition, coalesce(suite, 'overall') AS suite, coalesce(domain, 'all') AS domain,
           count(DISTINCT (i.domain, b.variation)) AS cells_of_edition
    FROM beyondbench_instances AS b
    JOIN instances AS i USING (edition, instance_id)
    GROUP BY GROUPING SETS ((edition, suite, i.domain), (edition, suite), (edition))
), unasked AS (
    SELECT edition, coalesce(suite, 'overall') AS suite, coalesce(domain, 'all') AS domain, player,
           sum(unasked)::BIGINT AS not_asked
    FROM beyondbench_unasked
    GROUP BY GROUPING SETS ((edition, player, suite, domain), (edition, player, suite), (edition, player))
)
SELECT f.edition, f.suite, f.domain, f.player, f.cells, p.cells_of_edition, f.instances,
       coalesce(u.not_asked, 0) AS not_asked, f.* EXCLUDE (edition, suite, domain, player, cells, instances),
       1000 * f.accuracy / nullif(f.response_tokens, 0) AS accuracy_per_1000_tokens
FROM figures AS f
JOIN planned AS p USING (edition, suite, domain)
LEFT JOIN unasked AS u USING (edition, suite, domain, player)
ORDER BY f.edition, list_position(['overall', 'easy', 'medium', 'hard'], f.suite), f.domain <> 'all', f.domain,
         f.accuracy DESC, f.player
