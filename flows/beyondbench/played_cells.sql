-- What did each player do in each cell? Lists, one element per instance that it has a scored run on, in the order of ids.
-- Common instances of a suite are those of all players that have at least half as many of them as some player has.
WITH replies AS (
    -- Two evaluations may hold the same call.
    SELECT t.episode_id, sum(c.completion_tokens)::BIGINT AS tokens
    FROM turns AS t
    JOIN (SELECT call_id, any_value(completion_tokens) AS completion_tokens FROM calls GROUP BY call_id) AS c
    USING (call_id)
    GROUP BY t.episode_id
), counted AS (
    SELECT e.player, b.suite, i.domain, b.variation, b.size, b.instance_id,
           count(*)::INTEGER AS runs,
           count(*) FILTER (e.success)::INTEGER AS solved,
           count(*) FILTER (e.success AND coalesce(a.is_best, true))::INTEGER AS best,
           count(*) FILTER (a.instruction_followed)::INTEGER AS followed,
           count(*) FILTER (a.parse_level IN (1, 2))::INTEGER AS followed_any,
           count(*) FILTER (a.answer IS NULL)::INTEGER AS invalid,
           coalesce(sum(r.tokens), 0)::BIGINT AS tokens,
           count(r.tokens)::INTEGER AS runs_with_tokens,
           count(*) FILTER (a.token_status = 'VALID')::INTEGER AS valid,
           count(*) FILTER (a.token_status = 'WARNING')::INTEGER AS warning,
           count(*) FILTER (a.token_status = 'OVERFLOW')::INTEGER AS overflow,
           count(a.token_status)::INTEGER AS runs_with_status
    FROM episodes AS e
    JOIN beyondbench_instances AS b USING (instance_id)
    JOIN instances AS i USING (instance_id)
    JOIN beyondbench_answers AS a USING (episode_id)
    LEFT JOIN replies AS r USING (episode_id)
    WHERE e.version IS NULL AND e.status <> 'api_error'
    GROUP BY ALL
), taking_part AS (
    SELECT suite, player
    FROM counted
    GROUP BY suite, player
    QUALIFY 2 * count(*) >= max(count(*)) OVER (PARTITION BY suite)
), common AS (
    SELECT suite, instance_id
    FROM counted JOIN taking_part USING (suite, player)
    GROUP BY suite, instance_id
    HAVING count(*) = (SELECT count(*) FROM taking_part AS t WHERE t.suite = counted.suite)
), complete AS (
    SELECT suite, player
    FROM counted JOIN common USING (suite, instance_id)
    GROUP BY suite, player
    QUALIFY count(*) = max(count(*)) OVER (PARTITION BY suite)
), compared AS (
    SELECT c.*,
           CASE WHEN i.instance_id IS NULL OR p.player IS NULL THEN 0 ELSE c.runs END AS common_runs,
           CASE WHEN i.instance_id IS NULL OR p.player IS NULL THEN 0 ELSE c.solved END AS common_solved
    FROM counted AS c
    LEFT JOIN common AS i USING (suite, instance_id)
    LEFT JOIN complete AS p USING (suite, player)
)
SELECT player, suite, domain, variation,
       list(size ORDER BY instance_id) AS size,
       list(runs ORDER BY instance_id) AS runs,
       list(solved ORDER BY instance_id) AS solved,
       list(common_runs ORDER BY instance_id) AS common_runs,
       list(common_solved ORDER BY instance_id) AS common_solved,
       list(best ORDER BY instance_id) AS best,
       list(followed ORDER BY instance_id) AS followed,
       list(followed_any ORDER BY instance_id) AS followed_any,
       list(invalid ORDER BY instance_id) AS invalid,
       list(tokens ORDER BY instance_id) AS tokens,
       list(runs_with_tokens ORDER BY instance_id) AS runs_with_tokens,
       list(valid ORDER BY instance_id) AS valid,
       list(warning ORDER BY instance_id) AS warning,
       list(overflow ORDER BY instance_id) AS overflow,
       list(runs_with_status ORDER BY instance_id) AS runs_with_status
FROM compared
GROUP BY player, suite, domain, variation
ORDER BY ALL
