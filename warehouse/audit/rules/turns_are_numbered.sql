-- the turns of an episode are numbered from 1 without a gap, and the episode counts them
WITH counted AS (
    SELECT episode_id, count(*) AS turns, min(turn) AS first, max(turn) AS last
    FROM turns
    GROUP BY episode_id
)
SELECT e.episode_id, e.turns, c.turns AS counted, c.first, c.last
FROM episodes AS e
LEFT JOIN counted AS c USING (episode_id)
WHERE e.turns <> coalesce(c.turns, 0) OR c.first <> 1 OR c.last <> c.turns
