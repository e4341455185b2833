-- every episode with reports of outcomes, and no other one, has its row in kumo_beliefs, of the reliability of its version
SELECT coalesce(e.episode_id, b.episode_id) AS episode_id, e.version, b.reliability
FROM (FROM episodes WHERE starts_with(version, 'reliability-')) AS e
FULL JOIN kumo_beliefs AS b USING (episode_id)
WHERE e.version IS DISTINCT FROM 'reliability-' || round(100 * b.reliability)::INTEGER
