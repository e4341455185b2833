-- Why does each player lose? How often its episodes ended in each way without the right answer, and an example of each.
-- `reason` is the status; of a wrong answer the benchmark's kind of fault, where it knows kinds. Of several versions of a question
-- the usual one counts. The example is the episode that took most tokens.
WITH attempts AS (
    SELECT edition, evaluation, episode_id, player, status, tokens, count(*) OVER (PARTITION BY edition, player) AS attempted
    FROM episodes
    WHERE version IS NULL
)
SELECT e.edition, n.benchmark, e.player, e.status,
       CASE WHEN e.status = 'wrong' AND a.fault IS NOT NULL THEN e.status || ': ' || a.fault ELSE e.status END AS reason,
       count(*) AS episodes, any_value(e.attempted) AS attempted, count(*) / any_value(e.attempted) AS share,
       arg_max(e.episode_id, (coalesce(e.tokens, 0), e.episode_id)) AS example
FROM attempts AS e
JOIN editions AS n ON n.edition = e.edition
LEFT JOIN episode_answers AS a
  ON a.edition = e.edition AND a.evaluation = e.evaluation AND a.episode_id = e.episode_id
WHERE e.status <> 'solved'
GROUP BY e.edition, n.benchmark, e.player, e.status, reason
ORDER BY e.edition, e.player, count(*) DESC, reason
