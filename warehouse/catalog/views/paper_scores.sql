-- What does a benchmark's paper, or its authors' site, print of the same models that played here? A player is taken for the
-- printed model where its name is `model` of `published_scores`: letters small or not, without what stands before the last `/`,
-- and nothing else. Printed percentages are shares (0 to 1) here. The questions are others than the edition's.
SELECT p.edition, p.player, s.source, s.place, s.player AS printed_as, s.settings, s.figure, s.setting, s.domain,
       CASE s.unit WHEN 'percent' THEN s.value / 100 ELSE s.value END AS value
FROM (SELECT DISTINCT edition, player FROM statistics WHERE statistic = 'success_rate') AS p
JOIN editions AS e USING (edition)
JOIN published_scores AS s ON s.benchmark = e.benchmark AND s.model = regexp_replace(lower(p.player), '^.*/', '')
ORDER BY p.edition, p.player, s.source, s.place, s.figure, s.setting, s.domain
