-- What was each player not asked? Prompt and solution of these problems do not fit the player's own budget of tokens, or the
-- protocol by which it was asked has no words for them.
-- A row per player, cell and size. The largest sizes are the first to be left out, so that a player's mean over the rest is
-- one of easier problems. What another evaluation asked the player is not among them.
WITH refused AS (
    SELECT DISTINCT edition, subject AS instance_id, player
    FROM rejections
    WHERE rule = 'not_asked'
), unasked AS (
    SELECT b.edition, r.player, i.domain, b.variation, b.size, count(*) AS unasked
    FROM refused AS r
    JOIN beyondbench_instances AS b USING (edition, instance_id)
    JOIN instances AS i USING (edition, instance_id)
    ANTI JOIN episodes AS e ON e.edition = r.edition AND e.instance_id = r.instance_id AND e.player = r.player
    GROUP BY ALL
), drawn AS (
    SELECT edition, suite, domain, variation, size, count(*) AS problems
    FROM beyondbench_instances
    JOIN instances USING (edition, instance_id)
    GROUP BY ALL
)
SELECT edition, player, suite, domain, variation, size, problems, unasked
FROM drawn
JOIN unasked USING (edition, domain, variation, size)
ORDER BY edition, player, list_position(['easy', 'medium', 'hard'], suite), domain, variation, size
