-- Which knowledge is hard for whom? (the paper's figure 5) Accuracy on the questions that use each property and each relation.
-- A question counts for every property and relation that its statements, options or derivation use: rows overlap.
-- Intervals (95%) count a pair once.
SELECT s.edition, s.domain, substr(s.statistic, length('accuracy_by_') + 1) AS label, substr(s.other, instr(s.other, '/') + 1) AS value,
       substr(s.other, 1, instr(s.other, '/') - 1) AS language, s.player, s.n AS questions,
       s.value AS accuracy, s.low AS accuracy_low, s.high AS accuracy_high
FROM statistics AS s
WHERE s.statistic IN ('accuracy_by_property', 'accuracy_by_relation')
ORDER BY s.edition, list_position(['all', 'space', 'nature', 'time', 'social', 'mix'], s.domain), label, value,
         list_position(['all', 'zh', 'en'], language), accuracy DESC, s.player
