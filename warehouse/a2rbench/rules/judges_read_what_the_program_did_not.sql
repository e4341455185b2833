-- an answer of A2RBench that a judge read names a judge's call, and one that the program read names none
SELECT a.episode_id, a.parse, a.judge_call_id, c.role
FROM a2rbench_answers AS a
LEFT JOIN calls AS c ON c.call_id = a.judge_call_id
WHERE (a.parse = 'judge' AND a.judge_call_id IS NULL) OR (a.parse = 'program' AND a.judge_call_id IS NOT NULL)
   OR (a.judge_call_id IS NOT NULL AND c.role IS DISTINCT FROM 'judge')
