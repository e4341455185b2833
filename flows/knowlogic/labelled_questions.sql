-- What is known of each question? In the order of pairs; `played_questions` has their numbers, from 0.
SELECT pair, language, domain, difficulty, level,
       scenario, type, precision, length(letters) AS right_letters, chain_length, properties, relations
FROM knowlogic_questions
ORDER BY pair, language, instance_id
