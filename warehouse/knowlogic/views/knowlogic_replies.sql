-- How long is each reply, at which level of its question? (the points of the paper's figure 12; `knowlogic_levels` has its lines)
-- A row per scored reply whose tokens are known, reasoning included; programs have none.
WITH replies AS (
    SELECT t.edition, t.episode_id, sum(c.completion_tokens)::BIGINT AS tokens
    FROM turns AS t
    JOIN (SELECT edition, call_id, any_value(completion_tokens) AS completion_tokens FROM calls GROUP BY ALL) AS c
    USING (edition, call_id)
    GROUP BY ALL
)
SELECT e.edition, q.domain, q.language, e.player, e.run, e.instance_id, q.level, q.difficulty, r.tokens, e.success
FROM episodes AS e
JOIN replies AS r USING (edition, episode_id)
JOIN knowlogic_questions AS q USING (edition, instance_id)
WHERE e.version IS NULL AND e.status <> 'api_error' AND r.tokens IS NOT NULL
ORDER BY e.edition, q.domain, e.player, q.level, e.instance_id, e.run
