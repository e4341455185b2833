-- What is known of each question? In the order of pairs; `played_questions` has their numbers, from 0.
WITH shares AS (
    SELECT *, cume_dist() OVER (PARTITION BY domain ORDER BY level) AS share FROM knowlogic_questions
), cuts AS (
    -- The levels up to which shares of a domain's questions are nearest to 1:2:3; nothing is easy where the lowest level has a third.
    SELECT domain, arg_min(level, abs(share - 1 / 6)) FILTER (share < 2 / 6) AS easy, arg_min(level, abs(share - 3 / 6)) AS medium
    FROM shares
    GROUP BY domain
), classed AS (
    SELECT *, CASE WHEN level <= easy THEN 'easy' WHEN level <= medium THEN 'medium' WHEN level > medium THEN 'hard' END AS class
    FROM knowlogic_questions
    JOIN cuts USING (domain)
)
SELECT pair, language, domain, difficulty, level,
       scenario, type, precision, length(letters) AS right_letters, chain_length,
       -- Six things on six slots of which the statements name five are five slots (the paper's figure 6).
       CASE domain WHEN 'space' THEN entities - try_cast(variables ->> 'al' AS DOUBLE)::INTEGER END AS slots,
       slots || ' ' || precision AS slots_precision,
       -- Bands of the level, a quarter wide, by where they begin.
       (floor(level * 4) / 4)::DECIMAL(6, 2)::VARCHAR AS band,
       -- The class by level, with the highest level in it.
       class || ' ' || max(level) OVER (PARTITION BY domain, class) AS level_class,
       properties, relations
FROM classed
ORDER BY pair, language, instance_id
