-- Does a player do better in Chinese or in English on the same questions?
-- $edition = %
-- No row: no player answered questions of KnowLogic in both languages.
SELECT edition, domain, player, pairs, zh_accuracy, en_accuracy, difference, difference_low, difference_high, p_adjusted
FROM knowlogic_languages
WHERE edition LIKE $edition
ORDER BY abs(difference) DESC, edition, domain, player
