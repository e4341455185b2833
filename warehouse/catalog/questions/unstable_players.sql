-- Who answers the same instance differently from run to run?
-- $edition = %
-- No row: no player answered an instance more than once: --runs 2 plays each one twice.
WITH runs AS (
    SELECT edition, player, instance_id, count(*) AS runs, bool_or(success) AND NOT bool_and(success) AS differs
    FROM episodes
    WHERE edition LIKE $edition AND version IS NULL
    GROUP BY ALL
    HAVING count(*) > 1
)
SELECT edition, player, count(*) AS instances, avg(differs::INT) AS share_that_differs
FROM runs
GROUP BY edition, player
ORDER BY share_that_differs DESC, player
