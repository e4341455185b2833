-- How do each player's episodes end? The share of each status among all attempted episodes, API errors included: means
-- over instances of the share among the runs. `parse_error_rate` is the paper's: unparsed episodes among those scored.
WITH played AS (
    SELECT e.edition, i.benchmark, i.setting, CASE WHEN starts_with(e.player, 'human:') THEN 'human' ELSE e.player END AS player, e.instance_id,
           count(*) AS attempted,
           count(*) FILTER (e.status <> 'api_error') AS scored,
           avg((e.status = 'solved')::INT) AS solved,
           avg((e.status = 'wrong')::INT) AS wrong,
           avg((e.status = 'unparsed')::INT) AS unparsed,
           avg((e.status = 'truncated')::INT) AS truncated,
           avg((e.status = 'refused')::INT) AS refused,
           avg((e.status = 'tool_call')::INT) AS tool_call,
           avg((e.status = 'turn_limit')::INT) AS turn_limit,
           avg((e.status = 'api_error')::INT) AS api_error,
           avg((e.status = 'unparsed')::INT) FILTER (e.status <> 'api_error') AS parse_error_rate
    FROM episodes AS e
    JOIN instances AS i USING (edition, instance_id)
    WHERE e.version IS NULL
    GROUP BY ALL
)
SELECT edition, benchmark, setting, player, sum(attempted)::BIGINT AS attempted, sum(scored)::BIGINT AS scored,
       avg(solved) AS solved, avg(wrong) AS wrong, avg(unparsed) AS unparsed, avg(truncated) AS truncated,
       avg(refused) AS refused, avg(tool_call) AS tool_call, avg(turn_limit) AS turn_limit,
       avg(api_error) AS api_error, avg(parse_error_rate) AS parse_error_rate
FROM played
GROUP BY ALL
ORDER BY edition, setting, player
