-- Which inputs make rules hard, and whose rules? Seeds, and the three phases of their variations (the paper's section 4): standard
-- (V1 to V3), edge (V4 to V6: tiny or repetitive) and complex (V7 to V9: large). A row per author (and `all`), phase and player, over
-- items without copies in other tokens. Rules that perennial draws have the author `drawn`. Intervals (95%) count a rule once.
SELECT edition, other AS author, string_split(statistic, '_')[-1] AS phase, player, n AS played,
       value AS accuracy, low AS accuracy_low, high AS accuracy_high
FROM statistics
WHERE regexp_matches(statistic, '^accuracy_by_author_(seed|standard|edge|complex)$')
ORDER BY edition, author <> 'all', author, player, list_position(['seed', 'standard', 'edge', 'complex'], phase)
