-- a reply of A2RBench has collapsed exactly where no answer was read of it, by nobody
SELECT episode_id, answer, rule, parse, collapsed
FROM a2rbench_answers
WHERE collapsed <> (answer IS NULL) OR collapsed <> (parse = 'none') OR (collapsed AND rule IS NOT NULL)
