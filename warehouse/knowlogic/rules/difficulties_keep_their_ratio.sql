-- easy, medium and hard questions of each domain of KnowLogic stand as 1:2:3, those counted that rejections say are missing
WITH present AS (
    SELECT domain, difficulty, count(DISTINCT pair) AS questions
    FROM knowlogic_questions
    WHERE payload IS NOT NULL
    GROUP BY ALL
), missing AS (
    SELECT domain, setting AS difficulty, sum(amount) AS questions
    FROM rejections
    WHERE stage = 'questions' AND rule = 'space_exhausted'
    GROUP BY ALL
), wanted AS (
    SELECT domain, difficulty, sum(questions) AS questions
    FROM (FROM present UNION ALL FROM missing)
    GROUP BY ALL
), ratios AS (
    SELECT domain, sum(questions) AS total, unnest(['easy', 'medium', 'hard']) AS difficulty
    FROM wanted
    GROUP BY domain
)
SELECT r.domain, r.difficulty, coalesce(w.questions, 0) AS questions, r.total
FROM ratios AS r
LEFT JOIN wanted AS w USING (domain, difficulty)
WHERE abs(coalesce(w.questions, 0)
          - r.total * CASE r.difficulty WHEN 'easy' THEN 1 WHEN 'medium' THEN 2 ELSE 3 END / 6) >= 1
