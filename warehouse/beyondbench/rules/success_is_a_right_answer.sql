-- an answer of BeyondBench is a success exactly when one was read and the grader refused it for nothing
SELECT e.episode_id, e.player, e.success, a.answer, a.detail
FROM episodes AS e
JOIN beyondbench_answers AS a USING (episode_id)
WHERE e.success IS DISTINCT FROM (a.answer IS NOT NULL AND a.detail IS NULL)
   OR (a.answer IS NULL AND a.detail IS NOT NULL)
