-- every episode and turn of KUMO has its row in kumo_episodes and kumo_moves, every move its turn
SELECT 'episodes' AS lacking, episode_id AS id, NULL AS turn FROM episodes ANTI JOIN kumo_episodes USING (episode_id)
UNION ALL
SELECT 'turns', episode_id, turn FROM turns ANTI JOIN kumo_moves USING (episode_id, turn)
UNION ALL
SELECT 'kumo_moves', episode_id, turn FROM kumo_moves ANTI JOIN turns USING (episode_id, turn)
