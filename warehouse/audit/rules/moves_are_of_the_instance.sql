-- every move of an episode is an action or a truth of its instance, and shows that action's observation
SELECT t.episode_id, t.turn, t.kind, t.move
FROM turns AS t
JOIN episodes AS e USING (episode_id)
JOIN kumo_instances AS i USING (instance_id)
WHERE (t.kind = 'action' AND (
          NOT coalesce(list_contains(i.actions, t.move), false)
          OR t.observation IS DISTINCT FROM i.observations[list_position(i.actions, t.move)]
          OR t.state IS DISTINCT FROM i.states[list_position(i.actions, t.move)]))
   OR (t.kind = 'truth' AND NOT coalesce(list_contains(i.truths, t.move), false))
   OR (t.kind = 'none' AND t.move IS NOT NULL)
