-- What did each player do on each item? Lists, one element per item that it has a scored run on, by its number.
WITH numbered AS (
    SELECT instance_id, row_number() OVER (ORDER BY instance_id) - 1 AS number FROM a2rbench_items
), counted AS (
    SELECT e.player, i.number,
           count(*)::INTEGER AS runs,
           count(*) FILTER (e.success)::INTEGER AS solved,
           count(*) FILTER (a.collapsed)::INTEGER AS collapsed,
           count(*) FILTER (e.success AND a.format_level = 1)::INTEGER AS strict,
           coalesce(list(a.answer ORDER BY e.run) FILTER (NOT e.success AND NOT a.collapsed), []) AS wrong
    FROM episodes AS e
    JOIN numbered AS i USING (instance_id)
    JOIN a2rbench_answers AS a USING (episode_id)
    WHERE e.version IS NULL AND e.status <> 'api_error'
    GROUP BY ALL
)
SELECT player,
       list(number ORDER BY number) AS number,
       list(runs ORDER BY number) AS runs,
       list(solved ORDER BY number) AS solved,
       list(collapsed ORDER BY number) AS collapsed,
       list(strict ORDER BY number) AS strict,
       list(wrong ORDER BY number) AS wrong
FROM counted
GROUP BY player
ORDER BY player
