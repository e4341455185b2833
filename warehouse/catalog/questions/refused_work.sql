-- What did checks refuse while an edition grew, and why?
-- $edition = %
-- No row: no check refused anything.
SELECT edition, stage, rule, count(*) AS rows, any_value(message) AS example
FROM rejections
WHERE edition LIKE $edition
GROUP BY edition, stage, rule
ORDER BY rows DESC, stage, rule
