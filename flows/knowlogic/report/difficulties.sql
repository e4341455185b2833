-- Which difficulties does the edition have, from easy to hard?
SELECT DISTINCT difficulty AS setting, list_position(['easy', 'medium', 'hard'], difficulty) AS place
FROM knowlogic_questions
WHERE edition = $edition
ORDER BY place
