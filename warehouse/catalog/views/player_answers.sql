-- Whose answers did perennial ask for, and whose are as an imported log says? One row per edition and player.
SELECT e.edition, e.player,
       CASE WHEN count(*) FILTER (v.answers = 'played') = 0 THEN 'by log'
            WHEN count(*) FILTER (v.answers = 'by log') = 0 THEN 'played'
            ELSE 'partly by log' END AS answers
FROM (SELECT DISTINCT edition, evaluation, CASE WHEN starts_with(player, 'human:') THEN 'human' ELSE player END AS player FROM episodes) AS e
JOIN evaluations AS v USING (edition, evaluation)
GROUP BY e.edition, e.player
ORDER BY e.edition, e.player
