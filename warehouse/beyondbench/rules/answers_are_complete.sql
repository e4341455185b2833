-- every episode of BeyondBench has its row in beyondbench_answers
SELECT e.episode_id, e.player
FROM episodes AS e
JOIN beyondbench_instances AS b USING (instance_id)
ANTI JOIN beyondbench_answers USING (episode_id)
