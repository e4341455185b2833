-- How near do players come, guess by guess? Over the episodes that made so many guesses.
SELECT edition, setting, player, number, count(*) AS guesses, avg(in_place) AS mean_in_place,
       avg(elsewhere) AS mean_elsewhere
FROM mastermind_guesses JOIN episodes USING (edition, evaluation, episode_id)
JOIN instances USING (edition, instance_id)
GROUP BY ALL
ORDER BY edition, setting DESC, player, number
