-- What is known of models that evaluations name: family, parameters, quantization, tuning, weights, end of their training data? What their entries in
-- models.toml said when they were evaluated, and nothing guessed from their names; of several evaluations the last.
WITH stated AS (
    SELECT v.edition, j.key AS player, v.created_at, v.evaluation, j.value AS facts
    FROM evaluations AS v, json_each(v.settings::JSON, '$.facts') AS j
), latest AS (
    SELECT edition, player, arg_max(facts, (created_at, evaluation)) AS facts FROM stated GROUP BY ALL
)
SELECT edition, player, facts ->> 'family' AS family, (facts ->> 'parameters_billion')::DOUBLE AS parameters_billion,
       facts ->> 'quantization' AS quantization, facts ->> 'tuning' AS tuning,
       facts ->> 'weights' AS weights, (facts ->> 'training_cutoff')::DATE AS training_cutoff
FROM latest
ORDER BY edition, family NULLS LAST, parameters_billion NULLS LAST, player
