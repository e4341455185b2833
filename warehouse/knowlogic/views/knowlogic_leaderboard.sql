-- Which player answers how much of KnowLogic? The paper's table 5: accuracy in each domain and language, and their average.
-- Shares are 0 to 1, each with a 95% interval. `average` is the unweighted mean of the cells (domain x language) that the
-- edition has; `average_paper` leaves social questions in English out, which the paper does not have: its Avg is over nine columns.
-- Both are NULL for players without answers in one of them. `all_all_accuracy` is the mean over
-- questions. `knowlogic_scores` has the same as rows, by difficulty as well.
WITH cells AS (
    SELECT edition, player, domain || '_' || language AS cell, accuracy, accuracy_low, accuracy_high, unextracted_rate,
           lenient_accuracy, questions
    FROM knowlogic_scores
    WHERE difficulty = 'all'
), averages AS (
    SELECT edition, player,
           any_value(value) FILTER (statistic = 'average') AS average,
           any_value(low) FILTER (statistic = 'average') AS average_low,
           any_value(high) FILTER (statistic = 'average') AS average_high,
           any_value(value) FILTER (statistic = 'average_paper') AS average_paper,
           any_value(low) FILTER (statistic = 'average_paper') AS average_paper_low,
           any_value(high) FILTER (statistic = 'average_paper') AS average_paper_high
    FROM statistics
    WHERE statistic IN ('average', 'average_paper')
    GROUP BY ALL
), wide AS (
    PIVOT cells ON cell IN (
        'space_zh', 'space_en',
        'nature_zh', 'nature_en',
        'time_zh', 'time_en',
        'social_zh', 'social_en',
        'mix_zh', 'mix_en',
        'all_zh', 'all_en', 'all_all'
    )
    USING any_value(accuracy) AS accuracy, any_value(accuracy_low) AS accuracy_low,
          any_value(accuracy_high) AS accuracy_high, any_value(unextracted_rate) AS unextracted_rate,
          any_value(lenient_accuracy) AS lenient_accuracy,
          any_value(questions) AS questions
    GROUP BY edition, player
)
SELECT w.edition, w.player, a.average, a.average_low, a.average_high,
       a.average_paper, a.average_paper_low, a.average_paper_high,
       w.space_zh_accuracy, w.space_zh_accuracy_low, w.space_zh_accuracy_high,
       w.space_en_accuracy, w.space_en_accuracy_low, w.space_en_accuracy_high,
       w.nature_zh_accuracy, w.nature_zh_accuracy_low, w.nature_zh_accuracy_high,
       w.nature_en_accuracy, w.nature_en_accuracy_low, w.nature_en_accuracy_high,
       w.time_zh_accuracy, w.time_zh_accuracy_low, w.time_zh_accuracy_high,
       w.time_en_accuracy, w.time_en_accuracy_low, w.time_en_accuracy_high,
       w.social_zh_accuracy, w.social_zh_accuracy_low, w.social_zh_accuracy_high,
       w.social_en_accuracy, w.social_en_accuracy_low, w.social_en_accuracy_high,
       w.mix_zh_accuracy, w.mix_zh_accuracy_low, w.mix_zh_accuracy_high,
       w.mix_en_accuracy, w.mix_en_accuracy_low, w.mix_en_accuracy_high,
       w.all_zh_accuracy, w.all_zh_accuracy_low, w.all_zh_accuracy_high,
       w.all_en_accuracy, w.all_en_accuracy_low, w.all_en_accuracy_high,
       w.all_all_accuracy, w.all_all_accuracy_low, w.all_all_accuracy_high,
       w.all_all_unextracted_rate AS unextracted_rate, w.all_all_lenient_accuracy AS lenient_accuracy,
       w.all_all_questions AS questions
FROM wide AS w
LEFT JOIN averages AS a USING (edition, player)
ORDER BY w.edition, a.average DESC NULLS LAST, w.all_all_accuracy DESC NULLS LAST, w.player
