-- an answer of KnowLogic has an error class exactly where its letters are wrong: subset, superset, overlap or disjoint
WITH compared AS (
    SELECT a.episode_id, a.letters, q.letters AS "right", a.error_class,
           list_sort(string_split(a.letters, '')) AS chosen, list_sort(string_split(q.letters, '')) AS wanted
    FROM knowlogic_answers AS a
    JOIN episodes AS e USING (episode_id)
    JOIN knowlogic_questions AS q USING (instance_id)
), expected AS (
    SELECT episode_id, letters, "right", error_class,
           CASE WHEN letters IS NULL OR chosen = wanted THEN NULL
                WHEN NOT list_has_any(chosen, wanted) THEN 'disjoint'
                WHEN list_has_all(wanted, chosen) THEN 'subset'
                WHEN list_has_all(chosen, wanted) THEN 'superset'
                ELSE 'overlap' END AS class
    FROM compared
)
SELECT episode_id, letters, "right", error_class, class AS expected
FROM expected
WHERE error_class IS DISTINCT FROM class
