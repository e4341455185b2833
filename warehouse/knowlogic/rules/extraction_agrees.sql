-- letters were extracted exactly where an answer of KnowLogic has some, each of A to D once and in order, in brackets of a kind
SELECT episode_id, letters, extracted, brackets
FROM knowlogic_answers
WHERE extracted <> (letters IS NOT NULL) OR extracted <> (brackets IS NOT NULL)
   OR NOT coalesce(letters <> '' AND regexp_full_match(letters, 'A?B?C?D?'), true)
