-- What did a player reply in an episode, turn by turn, and what came back?
SELECT e.edition, e.evaluation, i.benchmark, i.domain, i.setting, e.instance_id, e.episode_id, e.player, e.run, e.version, e.status,
       t.turn, coalesce(t.reply, c.reply) AS reply, c.reasoning, t.feedback, t.call_id
FROM episodes AS e
JOIN instances AS i USING (edition, instance_id)
JOIN turns AS t USING (edition, evaluation, episode_id)
LEFT JOIN calls AS c ON c.edition = t.edition AND c.evaluation = t.evaluation AND c.call_id = t.call_id
ORDER BY e.edition, e.player, e.instance_id, e.version NULLS FIRST, e.run, t.turn
