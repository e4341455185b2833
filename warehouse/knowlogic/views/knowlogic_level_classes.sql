-- Does accuracy fall from easy to hard by the paper's level? (its figures 4 and 7 to 11; `knowlogic_difficulty` has our classes, by effort)
-- A row per domain, language (or both), player and class. The cut points are levels of the edition's questions in a domain, such that
-- easy, medium and hard stand nearest to 1:2:3, as in the paper, which does not say its own; `up_to` is the highest level of a class.
-- Levels of two domains are no values of one formula. Intervals (95%) count a pair once.
WITH figures AS (
    SELECT *, str_split(str_split(other, '/')[2], ' ') AS class
    FROM statistics
    WHERE statistic = 'accuracy_by_level_class'
)
SELECT edition, domain, str_split(other, '/')[1] AS language, player, class[1] AS difficulty, class[2]::DOUBLE AS up_to,
       n AS questions, value AS accuracy, low AS accuracy_low, high AS accuracy_high
FROM figures
ORDER BY edition, list_position(['space', 'nature', 'time', 'social', 'mix'], domain), list_position(['all', 'zh', 'en'], language),
         player, list_position(['easy', 'medium', 'hard'], difficulty)
