-- Does success gain where books were revised? (the paper's second version, figure 14)
-- One row per player, domain and setting where it was shown first drafts too (`--books final,first`). `success_first` and
-- `success_revised` are over the same instances: those whose book a model revised until it passed (`instances` of them
-- played with both), and `gain` is their paired difference with its interval. `domain_gain` is what revision adds to the
-- domain's success rate, books that were not revised gaining nothing: the paper's improvement, whose coefficient is
-- in `revisions_correlation`.
WITH players AS (
    SELECT DISTINCT edition, setting, player FROM version_comparisons WHERE version = 'first'
), books AS (
    SELECT edition, setting, domain, sum(books)::BIGINT AS books, sum(revised)::BIGINT AS revised
    FROM revisions
    GROUP BY ALL
)
SELECT b.edition, b.domain, b.setting, p.player, b.books, b.revised, coalesce(v.instances, 0) AS instances,
       v.success_rate_version AS success_first, v.success_rate_usual AS success_revised, v.difference AS gain,
       v.difference_low AS gain_low, v.difference_high AS gain_high,
       CASE WHEN b.revised = 0 THEN 0 ELSE v.difference * b.revised / b.books END AS domain_gain
FROM books AS b
JOIN players AS p USING (edition, setting)
LEFT JOIN version_comparisons AS v
  ON v.edition = b.edition AND v.setting = b.setting AND v.domain = b.domain AND v.player = p.player
 AND v.version = 'first'
ORDER BY b.edition, b.setting, b.revised DESC, b.domain, p.player
