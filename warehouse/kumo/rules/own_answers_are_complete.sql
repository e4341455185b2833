-- every episode and turn has its row in kumo_episodes, kumo_moves and (with reports) kumo_beliefs, every move its turn
SELECT 'episodes' AS lacking, episode_id AS id, NULL AS turn FROM episodes ANTI JOIN kumo_episodes USING (episode_id)
UNION ALL
SELECT 'turns', episode_id, turn FROM turns ANTI JOIN kumo_moves USING (episode_id, turn)
UNION ALL
SELECT 'kumo_moves', episode_id, turn FROM kumo_moves ANTI JOIN turns USING (episode_id, turn)
UNION ALL
SELECT 'kumo_beliefs', coalesce(e.episode_id, b.episode_id), NULL
FROM (FROM episodes WHERE starts_with(version, 'reliability-')) AS e
FULL JOIN kumo_beliefs AS b USING (episode_id)
WHERE e.version IS DISTINCT FROM 'reliability-' || round(100 * b.reliability)::INTEGER
