-- every episode of A2RBench has its row in a2rbench_answers
SELECT e.episode_id, e.player
FROM episodes AS e
JOIN a2rbench_items AS i USING (instance_id)
ANTI JOIN a2rbench_answers USING (episode_id)
