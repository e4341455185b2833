-- a solved episode ends by naming a truth that no observation rules out, and only such an episode is a success
WITH last_turn AS (
    SELECT episode_id, arg_max(kind, turn) AS kind, arg_max(move, turn) AS move
    FROM kumo_moves
    GROUP BY episode_id
)
SELECT e.episode_id, e.player, e.status, l.move
FROM episodes AS e
JOIN kumo_instances AS i USING (instance_id)
LEFT JOIN last_turn AS l USING (episode_id)
WHERE e.success IS DISTINCT FROM (coalesce(l.kind = 'truth', false) AND coalesce(list_contains(i.valid_truths, l.move), false))
