-- an answer of A2RBench is a success exactly when it equals the item's as JSON, and unparsed when none was read
SELECT e.episode_id, e.player, e.status, e.success, a.answer, i.answer AS "right"
FROM episodes AS e
JOIN a2rbench_answers AS a USING (episode_id)
JOIN a2rbench_items AS i USING (instance_id)
WHERE e.success IS DISTINCT FROM (a.answer IS NOT NULL AND a.answer = i.answer)
   OR (e.status = 'unparsed' AND a.answer IS NOT NULL)
   OR (e.status IN ('solved', 'wrong') AND a.answer IS NULL)
