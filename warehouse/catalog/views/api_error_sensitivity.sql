-- How much would each success rate change if episodes that an API error ended counted as parse errors, not solved?
-- The authors counted missing replies so in places; perennial leaves them out of every rate. Means over instances of the
-- mean over runs; only players with such episodes have a row.
WITH played AS (
    SELECT e.edition, i.benchmark, i.setting, e.player, e.instance_id,
           count(*) FILTER (e.status = 'api_error') AS api_errors,
           count(*) AS attempted,
           avg(e.success::INT) FILTER (e.status <> 'api_error') AS success_rate,
           avg((e.status = 'unparsed')::INT) FILTER (e.status <> 'api_error') AS parse_error_rate,
           avg(e.success::INT) AS success_rate_as_parse_errors,
           avg((e.status IN ('unparsed', 'api_error'))::INT) AS parse_error_rate_as_parse_errors
    FROM episodes AS e
    JOIN instances AS i USING (edition, instance_id)
    WHERE e.version IS NULL
    GROUP BY ALL
)
SELECT edition, benchmark, setting, player, sum(attempted)::BIGINT AS attempted, sum(api_errors)::BIGINT AS api_errors,
       avg(success_rate) AS success_rate, avg(success_rate_as_parse_errors) AS success_rate_as_parse_errors,
       avg(success_rate_as_parse_errors) - avg(success_rate) AS change,
       avg(parse_error_rate) AS parse_error_rate,
       avg(parse_error_rate_as_parse_errors) AS parse_error_rate_as_parse_errors
FROM played
GROUP BY ALL
HAVING sum(api_errors) > 0
ORDER BY edition, setting, change, player
