-- a reply of A2RBench has collapsed exactly where no answer was read from it, and has a format level exactly where the program read one
SELECT episode_id, answer, rule, parse, format_level, collapsed
FROM a2rbench_answers
WHERE collapsed <> (answer IS NULL) OR collapsed <> (parse = 'none') OR (collapsed AND rule IS NOT NULL)
   OR (format_level IS NULL) <> (parse <> 'program')
