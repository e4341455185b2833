-- each attempt at a variation of A2RBench is at one of a rule of a2rbench_rules
SELECT a.domain, a.number, a.variation, a.step, a.attempt, a.passed, a.reason
FROM a2rbench_attempts AS a
LEFT JOIN a2rbench_rules AS r USING (domain, number)
WHERE a.variation > 0 AND r.rule IS NULL
