-- Who answers the same instance differently from run to run?
-- $edition = %
WITH runs AS (
    SELECT edition, player, instance_id, count(*) AS runs, count(DISTINCT success) AS ends
    FROM episodes_wide
    WHERE edition LIKE $edition AND version IS NULL
    GROUP BY ALL
    HAVING count(*) > 1
)
SELECT edition, player, count(*) AS instances, avg((ends > 1)::INT) AS share_that_differs
FROM runs
GROUP BY edition, player
ORDER BY share_that_differs DESC, player
