-- Does success gain where books were revised? (the paper's second version, figure 14)
-- One row a player, domain and setting that two editions share, the earlier one with books as they were written, the
-- later one with revised ones. `SELECT corr(revised, gain) FROM revisions_gain WHERE ...` gives the paper's coefficient.
WITH scores AS (
    SELECT s.edition, s.domain, s.setting, s.player, s.success_rate, r.books, r.unchanged, r.revised
    FROM domain_scores AS s
    JOIN revisions AS r USING (edition, domain, setting)
)
SELECT before.edition AS edition, after.edition AS revised_edition, after.domain, after.setting, after.player,
       after.books, after.revised, before.success_rate AS success_before, after.success_rate AS success_after,
       after.success_rate - before.success_rate AS gain
FROM scores AS before
JOIN scores AS after USING (domain, setting, player)
WHERE before.edition <> after.edition AND before.unchanged = before.books AND after.revised > 0
ORDER BY edition, revised_edition, after.setting, after.revised DESC, after.domain, after.player
