-- What is known of each question? In the order of pairs; `played_questions` has their numbers, from 0.
SELECT pair, language, domain, difficulty, level,
       scenario, type, precision, length(letters) AS right_letters, chain_length,
       -- Six things on six slots of which the statements name five are five slots (the paper's figure 6).
       CASE domain WHEN 'space' THEN entities - try_cast(variables ->> 'al' AS DOUBLE)::INTEGER END AS slots,
       slots || ' ' || precision AS slots_precision,
       -- Bands of the level, a quarter wide, by where they begin.
       (floor(level * 4) / 4)::DECIMAL(6, 2)::VARCHAR AS band,
       properties, relations
FROM knowlogic_questions
ORDER BY pair, language, instance_id
