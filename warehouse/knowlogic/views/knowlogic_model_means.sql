-- How well do the models do on average, from easy to hard? (the paper's figure 4)
-- The unweighted mean of the accuracies of all models that were scored there, by domain, language and class, with the lowest
-- and the highest of them. `classes`: ours, by effort, or by the paper's level (knowlogic_level_classes). Models may have missed
-- questions: knowlogic_scores has the numbers of each.
WITH scores AS (
    SELECT edition, domain, language, 'effort' AS classes, difficulty, player, accuracy FROM knowlogic_scores
    UNION ALL
    SELECT edition, domain, language, 'level', difficulty, player, accuracy FROM knowlogic_level_classes
), means AS (
    SELECT edition, domain, language, classes, difficulty, count(*) AS models, avg(accuracy) AS mean_accuracy,
           min(accuracy) AS lowest_accuracy, max(accuracy) AS highest_accuracy
    FROM scores
    SEMI JOIN (SELECT edition, player FROM leaderboard WHERE player_group = 'models') AS m
    USING (edition, player)
    GROUP BY ALL
)
FROM means
ORDER BY edition, classes, list_position(['all', 'space', 'nature', 'time', 'social', 'mix'], domain),
         list_position(['all', 'zh', 'en'], language), list_position(['all', 'easy', 'medium', 'hard'], difficulty)
