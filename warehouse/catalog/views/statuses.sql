-- How do each player's episodes end? The share of each status among all attempted episodes, API errors included.
-- `parse_error_rate` is the paper's: unparsed episodes among those that are scored.
SELECT e.edition, i.setting, e.player, count(*) AS attempted,
       count(*) FILTER (e.status <> 'api_error') AS scored,
       avg((e.status = 'solved')::INT) AS solved,
       avg((e.status = 'wrong')::INT) AS wrong,
       avg((e.status = 'unparsed')::INT) AS unparsed,
       avg((e.status = 'truncated')::INT) AS truncated,
       avg((e.status = 'refused')::INT) AS refused,
       avg((e.status = 'turn_limit')::INT) AS turn_limit,
       avg((e.status = 'api_error')::INT) AS api_error,
       avg((e.status = 'unparsed')::INT) FILTER (e.status <> 'api_error') AS parse_error_rate
FROM episodes AS e
JOIN instances AS i USING (edition, instance_id)
GROUP BY ALL
ORDER BY e.edition, i.setting, e.player
