-- Does it matter how a question is asked? (the paper's figure 6) Accuracy by question type, precision, number of right
-- letters (`right_letters`, the paper's errors of aggregation) chain length and, in space, `slots` (those that the statements
-- name), also together with precision (`slots_precision`), in each domain and in all. A row per value of one `label`.
-- Intervals (95%) count a pair once.
SELECT s.edition, s.domain, substr(s.statistic, length('accuracy_by_') + 1) AS label, substr(s.other, instr(s.other, '/') + 1) AS value,
       substr(s.other, 1, instr(s.other, '/') - 1) AS language, s.player, s.n AS questions,
       s.value AS accuracy, s.low AS accuracy_low, s.high AS accuracy_high
FROM statistics AS s
WHERE s.statistic IN ('accuracy_by_type', 'accuracy_by_precision', 'accuracy_by_right_letters', 'accuracy_by_chain_length',
                      'accuracy_by_slots', 'accuracy_by_slots_precision')
ORDER BY s.edition, list_position(['all', 'space', 'nature', 'time', 'social', 'mix'], s.domain), list_position(['type', 'precision', 'right_letters', 'chain_length', 'slots', 'slots_precision'], label),
         try_cast(s.other.substr(instr(s.other, '/') + 1) AS INTEGER) NULLS FIRST, value,
         list_position(['all', 'zh', 'en'], language), accuracy DESC, s.player
