-- BeyondBench's guesser is right no more often than the definition of a task makes necessary, with five standard errors: one in ten of the problems of a cell, or what the rule's table says
WITH bounds (domain, variation, bound) AS (
    VALUES
        ('comparison', 'standard', 1 / 3),  -- three relations, a third of the problems each
        ('local_maxima_count', 'standard', 0.13),  -- lists of eight have 0 to 3 local maxima, each a quarter
        ('constraint_optimization', 'dependency', 0.13),  -- what others require is in most sets within 95% of the best
        ('constraint_optimization', 'mixed', 0.13),
        ('tower_of_hanoi', 'disks_3', 1 / 6),  -- three pegs have six pairs of a first and a last one
        ('tower_of_hanoi', 'disks_4', 1 / 6),
        ('tower_of_hanoi', 'disks_5', 1 / 6),
        ('tower_of_hanoi', 'disks_6', 1 / 6),
        ('tower_of_hanoi', 'disks_7', 1 / 6),
        ('tower_of_hanoi', 'disks_8', 1 / 6),
        ('n_queens', 'empty', 1),  -- one problem of each size
        ('n_queens', 'queens_4', 1 / 2),  -- boards of 4 and 6 rows have 2 and 4 solutions
        ('n_queens', 'queens_6', 1 / 4)
), guesses AS (
    SELECT b.suite, i.domain, b.variation, b.instance_id, avg(e.success::INT) AS rate
    FROM episodes AS e
    JOIN beyondbench_instances AS b USING (instance_id)
    JOIN instances AS i USING (instance_id)
    WHERE e.player = 'guesser' AND e.status <> 'api_error'
    GROUP BY ALL
), bounded AS (
    SELECT g.*, coalesce(o.bound, 0.1) AS bound FROM guesses AS g LEFT JOIN bounds AS o USING (domain, variation)
)
SELECT suite, domain, variation, count(*) AS problems, avg(rate) AS rate, avg(bound) AS bound
FROM bounded
GROUP BY GROUPING SETS ((suite, domain, variation), (suite, domain), (suite), ())
HAVING avg(rate) > avg(bound) + 5 * sqrt(sum(bound * (1 - bound))) / count(*)
