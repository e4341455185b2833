-- What did analysts say of each episode? A row an episode, lists by analyst.
SELECT e.player, e.instance_id AS item,
       list(a.analyst ORDER BY a.analyst) AS analysts,
       list(a.outcome_category ORDER BY a.analyst) AS categories,
       list(a.reasoning_style ORDER BY a.analyst) AS styles
FROM a2rbench_analyses AS a
JOIN episodes AS e USING (episode_id)
GROUP BY e.episode_id, e.player, e.instance_id
ORDER BY e.player, e.instance_id, e.episode_id
