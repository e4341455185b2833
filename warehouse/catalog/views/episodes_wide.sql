-- How did each episode end: who played what, which answer was given, which one is right, and what did it cost? One row per episode.
SELECT e.edition, e.evaluation, i.benchmark, i.domain, i.setting, e.instance_id, e.episode_id, e.player, e.version, e.run,
       e.status, e.success, e.score, a.answer, CASE WHEN p.instance_id IS NULL THEN a.right_answer END AS right_answer,
       e.turns, e.tokens, e.cost_usd, e.seconds
FROM episodes AS e
LEFT JOIN instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id
LEFT JOIN episode_answers AS a
  ON a.edition = e.edition AND a.evaluation = e.evaluation AND a.episode_id = e.episode_id
LEFT JOIN private_instances AS p ON p.edition = e.edition AND p.instance_id = e.instance_id
