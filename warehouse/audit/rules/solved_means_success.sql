-- an episode is a success exactly when its status is solved
SELECT episode_id, player, status, success
FROM episodes
WHERE success IS DISTINCT FROM (status = 'solved')
