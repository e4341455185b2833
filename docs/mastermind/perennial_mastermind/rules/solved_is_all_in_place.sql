-- an episode of Mastermind is solved exactly when its last guess is the code
SELECT e.episode_id, e.status, g.guess, c.code
FROM episodes AS e
JOIN mastermind_codes AS c USING (instance_id)
LEFT JOIN (SELECT episode_id, arg_max(guess, number) AS guess FROM mastermind_guesses GROUP BY ALL) AS g USING (episode_id)
WHERE e.success IS DISTINCT FROM (g.guess IS NOT DISTINCT FROM c.code)
