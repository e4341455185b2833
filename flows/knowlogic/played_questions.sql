-- What did each player do on each question? Lists, one element per question that it has a scored run on, by its number.
WITH numbered AS (
    SELECT instance_id, letters, row_number() OVER (ORDER BY pair, language, instance_id) - 1 AS number FROM knowlogic_questions
), replies AS (
    -- Two evaluations may hold the same call.
    SELECT t.episode_id, sum(c.completion_tokens)::BIGINT AS tokens
    FROM turns AS t
    JOIN (SELECT call_id, any_value(completion_tokens) AS completion_tokens FROM calls GROUP BY call_id) AS c
    USING (call_id)
    GROUP BY t.episode_id
), counted AS (
    SELECT e.player, q.number,
           count(*)::INTEGER AS runs,
           count(*) FILTER (e.success)::INTEGER AS solved,
           count(*) FILTER (a.letters IS NULL)::INTEGER AS unread,
           count(*) FILTER (a.lenient_letters = q.letters)::INTEGER AS lenient,
           count(*) FILTER (a.error_class = 'subset')::INTEGER AS subset,
           count(*) FILTER (a.error_class = 'superset')::INTEGER AS superset,
           count(*) FILTER (a.error_class = 'overlap')::INTEGER AS overlap,
           count(*) FILTER (a.error_class = 'disjoint')::INTEGER AS disjoint,
           coalesce(sum(r.tokens) FILTER (e.success), 0)::BIGINT AS right_tokens,
           count(r.tokens) FILTER (e.success)::INTEGER AS right_replies,
           coalesce(sum(r.tokens) FILTER (NOT e.success), 0)::BIGINT AS wrong_tokens,
           count(r.tokens) FILTER (NOT e.success)::INTEGER AS wrong_replies
    FROM episodes AS e
    JOIN numbered AS q USING (instance_id)
    JOIN knowlogic_answers AS a USING (episode_id)
    LEFT JOIN replies AS r USING (episode_id)
    WHERE e.version IS NULL AND e.status <> 'api_error'
    GROUP BY ALL
)
SELECT player,
       list(number ORDER BY number) AS number,
       list(runs ORDER BY number) AS runs,
       list(solved ORDER BY number) AS solved,
       list(unread ORDER BY number) AS unread,
       list(lenient ORDER BY number) AS lenient,
       list(subset ORDER BY number) AS subset,
       list(superset ORDER BY number) AS superset,
       list(overlap ORDER BY number) AS overlap,
       list(disjoint ORDER BY number) AS disjoint,
       list(right_tokens ORDER BY number) AS right_tokens,
       list(right_replies ORDER BY number) AS right_replies,
       list(wrong_tokens ORDER BY number) AS wrong_tokens,
       list(wrong_replies ORDER BY number) AS wrong_replies
FROM counted
GROUP BY player
ORDER BY player
