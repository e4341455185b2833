-- every instance, episode and turn of KUMO has its row in kumo_instances, kumo_episodes and kumo_moves, every move its turn
SELECT 'instances' AS lacking, instance_id AS id, NULL AS turn FROM instances ANTI JOIN kumo_instances USING (instance_id)
UNION ALL
SELECT 'episodes', episode_id, NULL FROM episodes ANTI JOIN kumo_episodes USING (episode_id)
UNION ALL
SELECT 'turns', episode_id, turn FROM turns ANTI JOIN kumo_moves USING (episode_id, turn)
UNION ALL
SELECT 'kumo_moves', episode_id, turn FROM kumo_moves ANTI JOIN turns USING (episode_id, turn)
