-- a question that was grown stands in every language of the edition, with equal letters, labels and payload
WITH grown AS (
    SELECT * FROM knowlogic_questions WHERE payload IS NOT NULL
), pairs AS (
    SELECT pair, count(*) AS texts, count(DISTINCT language) AS languages,
           count(DISTINCT (domain, scenario, type, "precision", letters, has_none, chain_length, "level",
                           difficulty, variables, payload)) AS contents
    FROM grown
    GROUP BY pair
)
SELECT pair, texts, languages, contents
FROM pairs
WHERE contents > 1 OR texts <> languages
   OR languages <> (SELECT count(DISTINCT language) FROM knowlogic_questions)
