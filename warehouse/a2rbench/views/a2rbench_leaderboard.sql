-- Which player infers how many of A2RBench's rules? The paper's columns: accuracy in total, by type, of seeds and of their
-- variations, by dimension, how often a reply has no usable answer, and delta_s: what copies in other tokens cost.
-- `strict_accuracy` counts only replies in strict JSON, as the paper does. Shares are 0 to 1, over the items P0; `remapped_accuracy` is over the copies (P1) alone, and delta_s over the items that have
-- one; `judge_share` is the share of scored replies whose answer a judge read. `a2rbench_scores` has the same as rows, with all intervals.
WITH named AS (
    SELECT edition, player, accuracy, accuracy_low, accuracy_high, collapse_rate, strict_accuracy, played,
           CASE WHEN items = 'p0' AND cell = 'all' THEN 'total' WHEN items = 'p0' THEN cell ELSE items END AS part
    FROM a2rbench_scores
    WHERE cell = 'all' OR (items = 'p0' AND cell IN ('symbolic', 'semantic', 'line', 'grid', 'cube'))
), wide AS (
    SELECT edition, player,
           any_value(accuracy) FILTER (part = 'total') AS total_accuracy,
           any_value(accuracy_low) FILTER (part = 'total') AS total_accuracy_low,
           any_value(accuracy_high) FILTER (part = 'total') AS total_accuracy_high,
           any_value(accuracy) FILTER (part = 'symbolic') AS symbolic_accuracy,
           any_value(accuracy) FILTER (part = 'semantic') AS semantic_accuracy,
           any_value(accuracy) FILTER (part = 'seed') AS seed_accuracy,
           any_value(accuracy) FILTER (part = 'augmented') AS augmented_accuracy,
           any_value(accuracy) FILTER (part = 'line') AS line_accuracy,
           any_value(accuracy) FILTER (part = 'grid') AS grid_accuracy,
           any_value(accuracy) FILTER (part = 'cube') AS cube_accuracy,
           any_value(accuracy) FILTER (part = 'remapped') AS remapped_accuracy,
           any_value(collapse_rate) FILTER (part = 'total') AS collapse_rate,
           any_value(strict_accuracy) FILTER (part = 'total') AS strict_accuracy,
           any_value(played) FILTER (part = 'total') AS played
    FROM named
    GROUP BY ALL
), judged AS (
    SELECT e.edition, e.player, avg((a.parse = 'judge')::INT) AS judge_share
    FROM episodes AS e
    JOIN a2rbench_answers AS a USING (edition, episode_id)
    SEMI JOIN (FROM a2rbench_items WHERE NOT is_remapped) AS i ON i.edition = e.edition AND i.instance_id = e.instance_id
    WHERE e.version IS NULL AND e.status <> 'api_error'
    GROUP BY ALL
), deltas AS (
    SELECT edition, player, value AS delta_s, low AS delta_s_low, high AS delta_s_high
    FROM statistics
    WHERE statistic = 'delta_s' AND domain = 'all'
)
SELECT w.edition, w.player, w.total_accuracy, w.total_accuracy_low, w.total_accuracy_high, w.symbolic_accuracy,
       w.semantic_accuracy, w.seed_accuracy, w.augmented_accuracy, w.line_accuracy, w.grid_accuracy, w.cube_accuracy,
       w.remapped_accuracy, d.delta_s, d.delta_s_low, d.delta_s_high, w.strict_accuracy, w.collapse_rate, j.judge_share, w.played
FROM wide AS w
LEFT JOIN deltas AS d USING (edition, player)
LEFT JOIN judged AS j USING (edition, player)
ORDER BY w.edition, w.total_accuracy DESC NULLS LAST, w.player
