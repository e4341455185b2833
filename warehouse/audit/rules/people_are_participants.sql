-- every person who has episodes agreed to take part and is not excluded, and has as many episodes as tasks started
WITH played AS (
    SELECT player, count(*) AS episodes, count(*) FILTER (success) AS solved
    FROM episodes
    WHERE starts_with(player, 'human:')
    GROUP BY player
)
SELECT coalesce(e.player, p.participant) AS player, e.episodes, p.started, e.solved AS right_answers, p.solved, p.consented, p.excluded
FROM played AS e
FULL JOIN participants AS p ON p.participant = e.player
WHERE p.participant IS NULL OR NOT p.consented OR (p.excluded AND e.player IS NOT NULL)
   OR (NOT p.excluded AND (coalesce(e.episodes, 0) <> p.started OR coalesce(e.solved, 0) <> p.solved))
