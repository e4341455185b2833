-- What does a benchmark's paper, or its authors' site, print of the same models that played here? A player is taken for the
-- printed model where its name is `model` of `published_scores`: letters small or not, without what stands before the last `/`,
-- and nothing else. Printed percentages are shares (0 to 1) here. `differs` says what is not as in the paper: questions, prompts,
-- languages; NULL where protocol, setting and language are the paper's.
WITH played AS (
    SELECT DISTINCT edition, player FROM statistics WHERE statistic = 'success_rate'
), unlike AS (
    SELECT p.edition, p.player, string_agg(DISTINCT d.differs, ', ' ORDER BY d.differs) AS differs
    FROM played AS p
    JOIN paper_differences AS d ON d.edition = p.edition AND (d.player IS NULL OR d.player = p.player)
    GROUP BY ALL
)
SELECT p.edition, p.player, s.source, s.place, s.player AS printed_as, s.settings, s.figure, s.setting, s.domain,
       CASE s.unit WHEN 'percent' THEN s.value / 100 ELSE s.value END AS value, u.differs
FROM played AS p
JOIN editions AS e USING (edition)
JOIN published_scores AS s ON s.benchmark = e.benchmark AND s.model = regexp_replace(lower(p.player), '^.*/', '')
LEFT JOIN unlike AS u ON u.edition = p.edition AND u.player = p.player
ORDER BY p.edition, p.player, s.source, s.place, s.figure, s.setting, s.domain
