-- a rule of A2RBench that a model wrote passed all five steps, and each candidate that passed them is a rule
WITH last_candidates AS (
    SELECT domain, number, arg_max(author, candidate) AS author,
           max(candidate) AS candidate
    FROM a2rbench_attempts
    WHERE variation = 0
    GROUP BY ALL
), accepted AS (
    SELECT a.domain, a.number, l.author, count(DISTINCT a.step) AS steps
    FROM a2rbench_attempts AS a
    JOIN last_candidates AS l USING (domain, number, candidate)
    WHERE a.variation = 0 AND a.passed
    GROUP BY ALL
    HAVING bool_or(a.step = 'judged')
)
SELECT domain, number, r.rule, r.author, a.author AS tried_by, a.steps
FROM a2rbench_rules AS r
FULL JOIN accepted AS a USING (domain, number)
WHERE r.rule IS NULL OR a.steps IS DISTINCT FROM 5 OR r.author <> a.author
