-- What did analysts say of each episode? A row per episode with the rule of its item, lists by analyst.
SELECT e.player, i.rule,
       list(a.analyst ORDER BY a.analyst) AS analysts,
       list(a.outcome_category ORDER BY a.analyst) AS categories,
       list(a.reasoning_style ORDER BY a.analyst) AS styles
FROM a2rbench_analyses AS a
JOIN episodes AS e USING (episode_id)
JOIN a2rbench_items AS i USING (instance_id)
GROUP BY e.episode_id, e.player, e.instance_id, i.rule
ORDER BY e.player, e.instance_id, e.episode_id
