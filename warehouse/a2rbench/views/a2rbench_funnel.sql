-- How much of what models wrote of A2RBench's rules passed? A row per author, type, dimension (each also `all`) and step: how
-- often it was tried, and how often the next step followed. Steps of a rule: rule, rule_judged, code, run, judged; of a
-- variation: inputs, inputs_run, inputs_judged. `candidates` and `seeds` count rules and seeds begun, and those with a rule accepted.
WITH placed AS (
    SELECT edition, author, split_part(domain, '_', 2) AS type,
           list_position(['line', 'grid', 'cube'], split_part(domain, '_', 1))::VARCHAR AS dimension,
           domain, number, variation, candidate, step, passed
    FROM a2rbench_attempts
), tried AS (
    SELECT edition, author, type, dimension, step, passed
    FROM placed
    UNION ALL
    SELECT edition, author, type, dimension, 'candidates', bool_or(step = 'judged' AND passed)
    FROM placed
    WHERE variation = 0
    GROUP BY edition, author, type, dimension, domain, number, candidate
    UNION ALL
    SELECT edition, author, type, dimension, 'seeds', bool_or(step = 'judged' AND passed)
    FROM placed
    WHERE variation = 0
    GROUP BY edition, author, type, dimension, domain, number
)
SELECT edition, coalesce(author, 'all') AS author, coalesce(type, 'all') AS type, coalesce(dimension, 'all') AS dimension, step,
       count(*) AS attempts, count(*) FILTER (passed) AS successes, avg(passed::INT) AS success_rate
FROM tried
GROUP BY edition, step, CUBE (author, type, dimension)
ORDER BY edition, author <> 'all', author, type <> 'all', type DESC, dimension <> 'all', dimension,
         list_position(['seeds', 'candidates', 'rule', 'rule_judged', 'code', 'run', 'judged',
                        'inputs', 'inputs_run', 'inputs_judged'], step)
