-- How far do two analysts agree on why answers are right or wrong, and on how players reason?
-- Krippendorff's alpha: 1 is agreement, 0 what chance gives. A row per player, and `all`; none with fewer than two analysts.
SELECT edition, player, CASE statistic WHEN 'analyst_agreement_category' THEN 'category' ELSE 'style' END AS what,
       n AS answers, value AS alpha, low AS alpha_low, high AS alpha_high
FROM statistics
WHERE statistic IN ('analyst_agreement_category', 'analyst_agreement_style')
ORDER BY edition, player <> 'all', player, what
