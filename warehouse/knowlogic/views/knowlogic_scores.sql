-- How does each player do in each domain, language and difficulty of KnowLogic, and in all of them together?
-- `all` stands for all domains, both languages or all difficulties. Accuracy counts exactly the right letters; a reply
-- from which none were read is wrong (`unextracted_rate` of them). `lenient_accuracy` also takes letters
-- without brackets; it is NULL where no player's differs from its accuracy by more than 1%. The unit is the question in one language; the two texts
-- of a pair are no independent draws, so that intervals (95%) count a pair once. Compare `questions` with
-- `questions_of_edition`: what a player has no scored answer to is in none of its figures.
WITH figures AS (
    SELECT edition, domain, setting AS difficulty, CASE other WHEN '' THEN 'all' ELSE other END AS language, player,
           any_value(n) FILTER (statistic = 'accuracy') AS questions,
           any_value(value) FILTER (statistic = 'accuracy') AS accuracy,
           any_value(low) FILTER (statistic = 'accuracy') AS accuracy_low,
           any_value(high) FILTER (statistic = 'accuracy') AS accuracy_high,
           any_value(value) FILTER (statistic = 'unextracted_rate') AS unextracted_rate,
           any_value(low) FILTER (statistic = 'unextracted_rate') AS unextracted_rate_low,
           any_value(high) FILTER (statistic = 'unextracted_rate') AS unextracted_rate_high,
           any_value(value) FILTER (statistic = 'lenient_accuracy') AS lenient_accuracy,
           any_value(population) AS population
    FROM statistics
    WHERE statistic IN ('accuracy', 'unextracted_rate', 'lenient_accuracy')
    GROUP BY ALL
), planned AS (
    SELECT edition, coalesce(q.domain, 'all') AS domain, coalesce(q.language, 'all') AS language,
           coalesce(q.difficulty, 'all') AS difficulty, count(*) AS questions_of_edition
    FROM knowlogic_questions AS q
    GROUP BY edition, CUBE (q.domain, q.language, q.difficulty)
)
SELECT f.edition, f.domain, f.language, f.difficulty, f.player, f.questions, p.questions_of_edition,
       f.accuracy, f.accuracy_low, f.accuracy_high,
       f.unextracted_rate, f.unextracted_rate_low, f.unextracted_rate_high, f.lenient_accuracy,
       f.population
FROM figures AS f
JOIN planned AS p USING (edition, domain, language, difficulty)
ORDER BY f.edition, list_position(['all', 'space', 'nature', 'time', 'social', 'mix'], f.domain),
         list_position(['all', 'zh', 'en'], f.language), list_position(['all', 'easy', 'medium', 'hard'], f.difficulty),
         f.accuracy DESC, f.player
