-- How well do the models do on average, from easy to hard? (the paper's figure 4)
-- The unweighted mean of the accuracies of all models that were scored there, by domain, language and class, with the lowest
-- and the highest of them. Models may have missed questions: knowlogic_scores has the numbers of each.
WITH means AS (
    SELECT edition, domain, language, difficulty, count(*) AS models, avg(accuracy) AS mean_accuracy,
           min(accuracy) AS lowest_accuracy, max(accuracy) AS highest_accuracy
    FROM knowlogic_scores
    SEMI JOIN (SELECT edition, player FROM leaderboard WHERE player_group = 'models') AS m
    USING (edition, player)
    GROUP BY ALL
)
FROM means
ORDER BY edition, list_position(['all', 'space', 'nature', 'time', 'social', 'mix'], domain),
         list_position(['all', 'zh', 'en'], language), list_position(['all', 'easy', 'medium', 'hard'], difficulty)
