-- How does each player do in each suite and task of BeyondBench, and overall?
-- `task` is `all` for a suite, `suite` is `overall` for the mean of the three suites, which only players with scored
-- answers in each have. A task is the unweighted mean of its cells (task x variation), a suite of its tasks: not a mean
-- over instances, as `success_rate` is. Replies from which nothing was read are wrong (`invalid_share` of them). A deviation
-- is the population's across cells, as the paper prints it; intervals (95%) are for instances that vary, resampled within
-- cells. Cells in which the player has no scored answer are not in its figures: compare `cells` with
-- `cells_of_edition`. `response_tokens` is the paper's token efficiency, and NULL for programs;
-- `accuracy_per_1000_tokens` is what the authors' website calls efficiency.
WITH figures AS (
    SELECT edition, CASE setting WHEN 'all' THEN 'overall' ELSE setting END AS suite, domain AS task, player,
           any_value(n) FILTER (statistic = 'accuracy_deviation') AS cells,
           any_value(n) FILTER (statistic = 'accuracy') AS instances,
           any_value(value) FILTER (statistic = 'accuracy') AS accuracy,
           any_value(value) FILTER (statistic = 'accuracy_deviation') AS accuracy_deviation,
           any_value(low) FILTER (statistic = 'accuracy') AS accuracy_low,
           any_value(high) FILTER (statistic = 'accuracy') AS accuracy_high,
           any_value(value) FILTER (statistic = 'instruction_following') AS instruction_following,
           any_value(value) FILTER (statistic = 'instruction_following_deviation') AS instruction_following_deviation,
           any_value(low) FILTER (statistic = 'instruction_following') AS instruction_following_low,
           any_value(high) FILTER (statistic = 'instruction_following') AS instruction_following_high,
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
    SELECT edition, coalesce(suite, 'overall') AS suite, coalesce(task, 'all') AS task,
           count(DISTINCT (b.task, b.variation)) AS cells_of_edition
    FROM beyondbench_instances AS b
    GROUP BY GROUPING SETS ((edition, suite, task), (edition, suite), (edition))
), refused AS (
    SELECT r.edition, i.setting, i.domain, p.player
    FROM rejections AS r
    JOIN instances AS i ON i.edition = r.edition AND i.instance_id = r.subject
    JOIN (SELECT DISTINCT edition, player FROM figures) AS p
      ON p.edition = r.edition AND starts_with(r.message, 'player ' || p.player || ' was not asked')
    WHERE r.rule = 'not_asked'
), unasked AS (
    SELECT edition, coalesce(setting, 'overall') AS suite, coalesce(domain, 'all') AS task, player, count(*) AS not_asked
    FROM refused
    GROUP BY GROUPING SETS ((edition, player, setting, domain), (edition, player, setting), (edition, player))
)
SELECT f.edition, f.suite, f.task, f.player, f.cells, p.cells_of_edition, f.instances,
       coalesce(u.not_asked, 0) AS not_asked, f.* EXCLUDE (edition, suite, task, player, cells, instances),
       1000 * f.accuracy / nullif(f.response_tokens, 0) AS accuracy_per_1000_tokens
FROM figures AS f
JOIN planned AS p USING (edition, suite, task)
LEFT JOIN unasked AS u USING (edition, suite, task, player)
ORDER BY f.edition, list_position(['overall', 'easy', 'medium', 'hard'], f.suite), f.task <> 'all', f.task,
         f.accuracy DESC, f.player
