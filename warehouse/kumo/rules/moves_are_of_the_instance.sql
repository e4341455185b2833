-- every move of an episode is its player's, an action or a truth of its instance, and its feedback is that action's observation or a report
SELECT m.episode_id, m.turn, m.kind, m.move
FROM kumo_moves AS m
JOIN turns AS t USING (episode_id, turn)
JOIN episodes AS e USING (episode_id)
JOIN kumo_instances AS i USING (instance_id)
WHERE (m.kind = 'action' AND (
          NOT coalesce(list_contains(i.actions, m.move), false)
          OR (NOT coalesce(starts_with(e.version, 'reliability-'), false)
              AND (t.feedback IS DISTINCT FROM i.observations[list_position(i.actions, m.move)]
                   OR m.state IS DISTINCT FROM i.states[list_position(i.actions, m.move)]))))
   OR (m.kind = 'truth' AND NOT coalesce(list_contains(i.truths, m.move), false))
   OR (m.kind = 'none' AND m.move IS NOT NULL)
   OR m.player <> e.player
