-- How complex is the code of the rules, by dimension, type and author? (the paper's measures of syntax trees)
-- Means over rules, each counted once; `docs/a2rbench.md` says how each measure is counted.
WITH rules AS (
    SELECT DISTINCT edition, dimension, type, author, rule, max_loop_depth, total_ifs, max_if_depth, max_complexity,
           mutability, return_complexity
    FROM a2rbench_items
)
SELECT edition, dimension, type, author, count(*) AS rules,
       avg(max_loop_depth) AS mean_loop_depth, avg(total_ifs) AS mean_ifs, avg(max_if_depth) AS mean_if_depth,
       avg(max_complexity) AS mean_complexity, avg(mutability) AS mean_mutability,
       avg(return_complexity) AS mean_return_complexity
FROM rules
GROUP BY ALL
ORDER BY edition, dimension, type DESC, author
