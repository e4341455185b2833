-- a question of KnowLogic has four different options and right letters among them in order, a precise one that was grown has one
SELECT instance_id, type, letters, options
FROM knowlogic_questions
WHERE letters = '' OR NOT regexp_full_match(letters, 'A?B?C?D?')
   OR len(options) <> 4 OR len(list_distinct(options)) <> 4
   OR (type LIKE 'precise%' AND length(letters) <> 1)
   OR (has_none AND letters LIKE '%D' AND letters <> 'D')
