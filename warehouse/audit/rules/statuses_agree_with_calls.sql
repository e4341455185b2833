-- an episode is truncated, refused or an api_error exactly when its last call is, ends as tool_call or turn_limit when that
-- calls a tool, and each call of a turn is a player's
WITH last_call AS (
    SELECT t.episode_id, arg_max(c.status, t.turn) AS status, bool_and(c.role = 'player') AS by_player
    FROM turns AS t
    JOIN calls AS c USING (call_id)
    GROUP BY t.episode_id
)
SELECT e.episode_id, e.player, e.status, l.status AS call_status
FROM episodes AS e
JOIN last_call AS l USING (episode_id)
WHERE NOT l.by_player
   OR (e.status = 'truncated') <> (l.status IN ('truncated', 'overflow'))
   OR (e.status = 'refused') <> (l.status = 'refused')
   OR (e.status = 'tool_call' AND l.status <> 'tool_call')
   OR (l.status = 'tool_call' AND e.status NOT IN ('tool_call', 'turn_limit'))
   OR (e.status = 'api_error') <> (l.status IN ('rejected', 'unavailable', 'html_body', 'invalid_body'))
