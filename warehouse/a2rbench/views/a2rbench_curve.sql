-- Do larger and less regular inputs make an item harder? (the paper's table 7, the 'augmentation paradox')
-- A row per player and variation, V0 to V9; player `all` has what is of all models together (of programs where none played): mean
-- accuracy, and of wrong answers to an item number, entropy (bits) and distance. `gzip` is the mean ratio of compressed to
-- original size of the inputs: higher is less regular, above 1 for very short ones. The correlations are Pearson's over variations.
WITH inputs AS (
    SELECT edition, 'V' || variation AS variation, avg(gzip) AS gzip, avg(deflate) AS deflate, count(*) AS items
    FROM a2rbench_items
    WHERE NOT is_remapped
    GROUP BY ALL
), accuracies AS (
    SELECT edition, player, other AS variation, n AS played, value AS accuracy, low AS accuracy_low, high AS accuracy_high
    FROM statistics
    WHERE statistic IN ('accuracy_by_variation', 'mean_accuracy_by_variation')
), wrong AS (
    SELECT edition, player, other AS variation,
           any_value(n) FILTER (statistic = 'wrong_entropy') AS wrong_items,
           any_value(value) FILTER (statistic = 'wrong_distinct') AS wrong_distinct,
           any_value(value) FILTER (statistic = 'wrong_entropy') AS wrong_entropy,
           any_value(value) FILTER (statistic = 'wrong_to_truth') AS wrong_to_truth,
           any_value(value) FILTER (statistic = 'wrong_to_each_other') AS wrong_to_each_other
    FROM statistics
    WHERE statistic IN ('wrong_distinct', 'wrong_entropy', 'wrong_to_truth', 'wrong_to_each_other')
    GROUP BY ALL
), correlations AS (
    SELECT edition, player,
           any_value(value) FILTER (statistic = 'compression_accuracy') AS pearson_accuracy,
           any_value(low) FILTER (statistic = 'compression_accuracy') AS pearson_accuracy_low,
           any_value(high) FILTER (statistic = 'compression_accuracy') AS pearson_accuracy_high,
           any_value(value) FILTER (statistic = 'compression_entropy') AS pearson_entropy,
           any_value(low) FILTER (statistic = 'compression_entropy') AS pearson_entropy_low,
           any_value(high) FILTER (statistic = 'compression_entropy') AS pearson_entropy_high
    FROM statistics
    WHERE statistic IN ('compression_accuracy', 'compression_entropy')
    GROUP BY ALL
)
SELECT i.edition, a.player, i.variation, i.items, i.gzip, i.deflate, a.played, a.accuracy, a.accuracy_low, a.accuracy_high,
       w.wrong_items, w.wrong_distinct, w.wrong_entropy, w.wrong_to_truth, w.wrong_to_each_other,
       c.pearson_accuracy, c.pearson_accuracy_low, c.pearson_accuracy_high,
       c.pearson_entropy, c.pearson_entropy_low, c.pearson_entropy_high
FROM inputs AS i
JOIN accuracies AS a USING (edition, variation)
LEFT JOIN wrong AS w USING (edition, player, variation)
LEFT JOIN correlations AS c USING (edition, player)
ORDER BY i.edition, a.player <> 'all', a.player, i.variation
