-- Does accuracy fall from easy to hard questions in each domain? (the paper's figures 4 and 7 to 11)
-- A row per domain (or all), language (or both) and player, with 95% intervals in which a pair counts once.
WITH classes AS (
    SELECT edition, domain, language, player, difficulty, questions, accuracy, accuracy_low, accuracy_high
    FROM knowlogic_scores
    WHERE difficulty <> 'all'
), wide AS (
    PIVOT classes ON difficulty IN ('easy', 'medium', 'hard')
    USING any_value(questions) AS questions, any_value(accuracy) AS accuracy,
          any_value(accuracy_low) AS accuracy_low, any_value(accuracy_high) AS accuracy_high
    GROUP BY edition, domain, language, player
)
SELECT edition, domain, language, player,
       easy_questions, easy_accuracy, easy_accuracy_low, easy_accuracy_high,
       medium_questions, medium_accuracy, medium_accuracy_low, medium_accuracy_high,
       hard_questions, hard_accuracy, hard_accuracy_low, hard_accuracy_high
FROM wide
ORDER BY edition, list_position(['all', 'space', 'nature', 'time', 'social', 'mix'], domain),
         list_position(['all', 'zh', 'en'], language), hard_accuracy DESC NULLS LAST, medium_accuracy DESC NULLS LAST,
         easy_accuracy DESC NULLS LAST, player
