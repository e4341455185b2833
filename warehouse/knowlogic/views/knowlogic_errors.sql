-- What is wrong about wrong letters? Some right ones are missing (`subset`), wrong ones were added (`superset`), both (`overlap`), or none
-- is right (`disjoint`). Shares are of scored replies, so that accuracy, unextracted rate and the four classes make 1; the
-- `.._of_errors` are shares of the replies with wrong letters. 95% intervals count a pair once.
WITH figures AS (
    SELECT edition, domain, setting AS difficulty, CASE other WHEN '' THEN 'all' ELSE other END AS language, player,
           any_value(value) FILTER (statistic = 'error_subset') AS subset,
           any_value(low) FILTER (statistic = 'error_subset') AS subset_low,
           any_value(high) FILTER (statistic = 'error_subset') AS subset_high,
           any_value(value) FILTER (statistic = 'error_superset') AS superset,
           any_value(low) FILTER (statistic = 'error_superset') AS superset_low,
           any_value(high) FILTER (statistic = 'error_superset') AS superset_high,
           any_value(value) FILTER (statistic = 'error_overlap') AS overlap,
           any_value(low) FILTER (statistic = 'error_overlap') AS overlap_low,
           any_value(high) FILTER (statistic = 'error_overlap') AS overlap_high,
           any_value(value) FILTER (statistic = 'error_disjoint') AS disjoint,
           any_value(low) FILTER (statistic = 'error_disjoint') AS disjoint_low,
           any_value(high) FILTER (statistic = 'error_disjoint') AS disjoint_high
    FROM statistics
    WHERE statistic IN ('error_subset', 'error_superset', 'error_overlap', 'error_disjoint')
    GROUP BY ALL
)
SELECT f.edition, f.domain, f.language, f.difficulty, f.player, s.questions, s.accuracy, s.unextracted_rate,
       f.subset, f.subset_low, f.subset_high,
       f.superset, f.superset_low, f.superset_high,
       f.overlap, f.overlap_low, f.overlap_high,
       f.disjoint, f.disjoint_low, f.disjoint_high,
       f.subset / nullif(f.subset + f.superset + f.overlap + f.disjoint, 0) AS subset_of_errors,
       f.superset / nullif(f.subset + f.superset + f.overlap + f.disjoint, 0) AS superset_of_errors,
       f.overlap / nullif(f.subset + f.superset + f.overlap + f.disjoint, 0) AS overlap_of_errors,
       f.disjoint / nullif(f.subset + f.superset + f.overlap + f.disjoint, 0) AS disjoint_of_errors
FROM figures AS f
JOIN knowlogic_scores AS s USING (edition, domain, language, difficulty, player)
ORDER BY f.edition, list_position(['all', 'space', 'nature', 'time', 'social', 'mix'], f.domain),
         list_position(['all', 'zh', 'en'], f.language), list_position(['all', 'easy', 'medium', 'hard'], f.difficulty),
         s.accuracy DESC, f.player
