-- Does a model think longer than a problem of this size takes, and does it help? (the paper's introduction and appendix F.8)
-- A row per player, task and size. `ratio` is the tokens of a reply, with its reasoning, over those of a written solution.
-- The bound is calibrated on right answers: the 95th percentile of their ratios over all models, NULL where fewer than
-- 20 are right. Replies above it are counted, and how many of them are right beside those at most at it.
WITH replies AS (
    SELECT t.edition, t.evaluation, t.episode_id, sum(c.completion_tokens)::BIGINT AS tokens
    FROM turns AS t
    JOIN calls AS c USING (edition, evaluation, call_id)
    GROUP BY ALL
    HAVING bool_and(c.completion_tokens IS NOT NULL)
), played AS (
    SELECT e.edition, b.suite, i.domain, b.size, e.player, e.success, r.tokens / b.solution_tokens AS ratio
    FROM episodes AS e
    JOIN replies AS r USING (edition, evaluation, episode_id)
    JOIN beyondbench_instances AS b USING (edition, instance_id)
    JOIN instances AS i USING (edition, instance_id)
    WHERE e.version IS NULL AND e.status <> 'api_error' AND b.solution_tokens > 0
), bounds AS (
    SELECT edition, domain, size, count(*) FILTER (success) AS right_replies,
           if(right_replies < 20, NULL, quantile_cont(ratio, 0.95) FILTER (success)) AS bound
    FROM played
    GROUP BY ALL
)
SELECT p.edition, p.suite, p.domain, p.size, p.player, count(*) AS replies, median(p.ratio) AS median_ratio,
       any_value(b.bound) AS bound, any_value(b.right_replies) AS right_replies,
       avg((p.ratio > b.bound)::INT) AS share_above,
       avg(p.success::INT) FILTER (p.ratio > b.bound) AS accuracy_above,
       avg(p.success::INT) FILTER (p.ratio <= b.bound) AS accuracy_below
FROM played AS p
JOIN bounds AS b USING (edition, domain, size)
GROUP BY p.edition, p.suite, p.domain, p.size, p.player
ORDER BY p.edition, list_position(['easy', 'medium', 'hard'], p.suite), p.domain, p.size, share_above DESC NULLS LAST, p.player
