-- Which scenarios are hard for whom? (the paper's figure 5) Accuracy by scenario, in each language and both.
-- Intervals (95%) count a pair once; the questions of a scenario may be harder for their difficulty too.
SELECT s.edition, s.domain, substr(s.other, instr(s.other, '/') + 1) AS scenario,
       substr(s.other, 1, instr(s.other, '/') - 1) AS language, s.player, s.n AS questions,
       s.value AS accuracy, s.low AS accuracy_low, s.high AS accuracy_high
FROM statistics AS s
WHERE s.statistic IN ('accuracy_by_scenario')
ORDER BY s.edition, list_position(['all', 'space', 'nature', 'time', 'social', 'mix'], s.domain), scenario,
         list_position(['all', 'zh', 'en'], language), accuracy DESC, s.player
