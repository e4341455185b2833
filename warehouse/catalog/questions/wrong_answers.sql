-- Which wrong answers are commonest?
-- $edition = %
-- $player = %
-- No row: no episode ended with a wrong answer (`perennial ask endings` shows how they ended).
SELECT player, answer, count(*) AS episodes, any_value(episode_id) AS example
FROM episodes_wide
WHERE edition LIKE $edition AND player LIKE $player AND status = 'wrong'
GROUP BY player, answer
ORDER BY episodes DESC, player, answer
