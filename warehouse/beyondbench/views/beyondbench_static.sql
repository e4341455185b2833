-- Do scores of fixed benchmarks say how a model does on fresh problems? (the paper's figure 2) A row per player of the Hard suite and
-- other benchmark of which a score was imported (`external_scores`), BeyondBench's own leaderboard left out. A benchmark with a
-- score above 1 counts in percent: `other_share` is a hundredth of its scores. What is outside 0 to 1 then is no share, and has no gap.
WITH scaled AS (
    SELECT benchmark, source, player, score,
           score / CASE WHEN max(score) OVER (PARTITION BY benchmark, source) > 1 THEN 100 ELSE 1 END AS share
    FROM external_scores
    WHERE NOT starts_with(lower(benchmark), 'beyondbench')
)
SELECT s.edition, x.benchmark AS other_benchmark, x.source, s.player, s.instances,
       s.accuracy AS hard_accuracy, s.accuracy_low AS hard_accuracy_low, s.accuracy_high AS hard_accuracy_high,
       x.score AS other_score, CASE WHEN x.share BETWEEN 0 AND 1 THEN x.share ELSE NULL END AS other_share,
       CASE WHEN x.share BETWEEN 0 AND 1 THEN x.share ELSE NULL END - s.accuracy AS gap
FROM beyondbench_scores AS s
JOIN scaled AS x USING (player)
WHERE s.suite = 'hard' AND s.domain = 'all'
ORDER BY s.edition, other_benchmark, x.source, hard_accuracy DESC, s.player
