-- in each domain of KnowLogic every easy question takes less effort (steps, and half a step for each option to decide) than every medium one, and these than every hard one
WITH efforts AS (
    SELECT domain, difficulty,
           chain_length + CASE WHEN has_none THEN 3 WHEN type LIKE 'precise%' THEN 1 ELSE 4 END / 2 AS effort
    FROM knowlogic_questions
    WHERE payload IS NOT NULL
), ranges AS (
    SELECT domain, difficulty, min(effort) AS least, max(effort) AS most,
           CASE difficulty WHEN 'easy' THEN 1 WHEN 'medium' THEN 2 ELSE 3 END AS place
    FROM efforts
    GROUP BY ALL
)
SELECT lower.domain, lower.difficulty, lower.most, higher.difficulty AS next_difficulty, higher.least
FROM ranges AS lower
JOIN ranges AS higher ON lower.domain = higher.domain AND lower.place < higher.place
WHERE lower.most >= higher.least
