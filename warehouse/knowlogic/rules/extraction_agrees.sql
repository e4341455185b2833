-- letters were extracted exactly where an answer of KnowLogic has some, each of A to D once and in order, in brackets of a kind, and the lenient reading took the same
SELECT episode_id, letters, extracted, brackets, lenient_letters
FROM knowlogic_answers
WHERE extracted <> (letters IS NOT NULL) OR extracted <> (brackets IS NOT NULL)
   OR NOT coalesce(letters <> '' AND regexp_full_match(letters, 'A?B?C?D?'), true)
   OR NOT coalesce(lenient_letters <> '' AND regexp_full_match(lenient_letters, 'A?B?C?D?'), true)
   OR (extracted AND lenient_letters IS DISTINCT FROM letters)
