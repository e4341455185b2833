-- Which instances does no model solve in any run?
-- $edition = %
-- No row: no model has played, or each instance that models played was solved by one of them.
WITH models AS (
    SELECT DISTINCT edition, player FROM leaderboard WHERE player_group = 'models'
), unsolved AS (
    SELECT edition, instance_id, count(DISTINCT player) AS models, count(*) AS episodes
    FROM episodes
    JOIN models USING (edition, player)
    WHERE edition LIKE $edition
    GROUP BY edition, instance_id
    HAVING NOT bool_or(success)
)
SELECT u.edition, i.benchmark, i.domain, i.setting, u.instance_id, u.models, u.episodes
FROM unsolved AS u
LEFT JOIN instances AS i ON i.edition = u.edition AND i.instance_id = u.instance_id
ORDER BY u.edition, i.domain, i.setting, u.instance_id
