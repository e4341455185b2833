-- the different actions of an episode never exceed its instance's, and its tests are its turns of kind action
WITH taken AS (
    SELECT episode_id, count(*) AS tests, count(DISTINCT move) AS different
    FROM kumo_moves
    WHERE kind = 'action'
    GROUP BY episode_id
)
SELECT e.episode_id, e.player, k.tests, i.n_actions
FROM episodes AS e
JOIN kumo_episodes AS k USING (episode_id)
JOIN kumo_instances AS i USING (instance_id)
LEFT JOIN taken AS t USING (episode_id)
WHERE k.tests <> coalesce(t.tests, 0) OR coalesce(t.different, 0) > i.n_actions
