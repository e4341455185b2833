-- Which instances does no model solve in any run?
-- $edition = %
WITH models AS (
    SELECT DISTINCT edition, player FROM statistics WHERE statistic = 'rank_in_kind' AND convention = 'models'
)
SELECT e.edition, e.benchmark, e.domain, e.setting, e.instance_id, count(DISTINCT e.player) AS models, count(*) AS episodes
FROM episodes_wide AS e
JOIN models USING (edition, player)
WHERE e.edition LIKE $edition
GROUP BY ALL
HAVING NOT bool_or(e.success)
ORDER BY e.edition, e.domain, e.setting, e.instance_id
