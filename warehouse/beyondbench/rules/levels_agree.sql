-- an answer was read exactly where it has a level above 0, and it follows the instruction exactly at level 1
SELECT episode_id, answer, parse_level, instruction_followed
FROM beyondbench_answers
WHERE (parse_level > 0) <> (answer IS NOT NULL) OR instruction_followed <> (parse_level = 1)
