-- in each domain of KnowLogic every easy question has a lower level than every medium one, and these than every hard one
WITH ranges AS (
    SELECT domain, difficulty, min("level") AS least, max("level") AS most,
           CASE difficulty WHEN 'easy' THEN 1 WHEN 'medium' THEN 2 ELSE 3 END AS place
    FROM knowlogic_questions
    WHERE "level" IS NOT NULL
    GROUP BY ALL
)
SELECT lower.domain, lower.difficulty, lower.most, higher.difficulty AS next_difficulty, higher.least
FROM ranges AS lower
JOIN ranges AS higher ON lower.domain = higher.domain AND lower.place < higher.place
WHERE lower.most >= higher.least
