-- the turns of an episode are numbered from 1 without a gap, and the episode counts them
WITH counted AS (
    SELECT episode_id, count(*) AS turns, max(turn) AS last
    FROM turns
    GROUP BY episode_id
)
SELECT e.episode_id, e.turns, c.turns AS counted, c.last
FROM episodes AS e
LEFT JOIN counted AS c USING (episode_id)
WHERE e.turns IS NOT NULL AND (e.turns <> coalesce(c.turns, 0) OR coalesce(c.last, 0) <> coalesce(c.turns, 0))
