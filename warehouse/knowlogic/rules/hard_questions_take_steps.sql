-- no hard question of KnowLogic is answered by a single step, and a mean chain of more steps goes with each harder class of a domain (of 20 questions or more)
WITH classes AS (
    SELECT domain, difficulty, min(chain_length) AS least, avg(chain_length) AS mean,
           count(DISTINCT pair) AS questions,
           CASE difficulty WHEN 'easy' THEN 1 WHEN 'medium' THEN 2 ELSE 3 END AS place
    FROM knowlogic_questions
    WHERE payload IS NOT NULL
    GROUP BY ALL
)
SELECT domain, difficulty, least, mean, NULL AS next_mean
FROM classes
WHERE difficulty = 'hard' AND least < 2
UNION ALL
SELECT lower.domain, lower.difficulty, lower.least, lower.mean, higher.mean
FROM classes AS lower
JOIN classes AS higher ON lower.domain = higher.domain AND lower.place < higher.place
WHERE lower.mean >= higher.mean AND least(lower.questions, higher.questions) >= 20
