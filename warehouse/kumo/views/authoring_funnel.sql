-- How many of the domains that models proposed, and of the books that they wrote, got how far? A row per edition,
-- category (`all`: all of them) and step. A second configurer's domains do not count. Of a refused proposal no category is kept: such ones count in `all` alone.
WITH proposals AS (
    SELECT edition, category FROM kumo_domains WHERE source = 'model' AND NOT ends_with(domain, ' (second configurer)')
), entries AS (
    SELECT edition, NULL AS category, 'domains' AS part, 1 AS place, 'proposed' AS step FROM rejections
    WHERE evaluation = '' AND stage = 'proposal' AND amount = 1
    UNION ALL
    SELECT edition, category, 'domains', unnest([1, 2]), unnest(['proposed', 'new']) FROM proposals
    UNION ALL
    SELECT d.edition, d.category, 'domains', s.place, s.step
    FROM kumo_domains AS d
    JOIN kumo_authored_domains AS a USING (edition, domain_id)
    JOIN (VALUES (3, 'configured', ['accepted', 'repaired', 'near_duplicate']), (4, 'of these, repaired', ['repaired']),
                 (5, 'accepted', ['accepted', 'repaired'])) AS s(place, step, statuses)
      ON list_contains(s.statuses, a.status)
    WHERE d.source = 'model' AND NOT ends_with(d.domain, ' (second configurer)')
), histories AS (
    SELECT edition, instance_id, bool_or(is_replacement) AS replaced, max(revision) AS last_revision
    FROM kumo_books
    WHERE version <> 'template' AND NOT starts_with(version, 'second') AND verdict <> 'unchecked'
    GROUP BY ALL
    HAVING bool_or(is_replacement OR author <> 'template')
), books AS (
    SELECT h.edition, d.category, 'books' AS part, s.place, s.step
    FROM histories AS h
    JOIN kumo_instances AS i USING (edition, instance_id)
    JOIN kumo_seed_configs AS c USING (edition, config_id)
    JOIN kumo_domains AS d USING (edition, domain_id)
    JOIN (VALUES (6, 'asked for', true, true), (7, 'passed at once', false, false),
                 (8, 'passed after revision', false, true), (9, 'replaced', true, NULL))
         AS s(place, step, replaced, revised)
      ON s.place = 6
      OR (s.replaced = h.replaced AND (s.revised IS NULL OR s.revised = (h.last_revision > 0)))
), counted AS (
    SELECT edition, unnest(['all', category]) AS category, part, place, step FROM entries
    UNION ALL
    SELECT edition, unnest(['all', category]), part, place, step FROM books
), steps AS (
    SELECT edition, category, t.part, t.place, t.step
    FROM (SELECT DISTINCT edition, category FROM counted WHERE category IS NOT NULL)
    CROSS JOIN (VALUES ('domains', 1, 'proposed'), ('domains', 2, 'new'), ('domains', 3, 'configured'),
                       ('domains', 4, 'of these, repaired'), ('domains', 5, 'accepted'), ('books', 6, 'asked for'),
                       ('books', 7, 'passed at once'), ('books', 8, 'passed after revision'), ('books', 9, 'replaced'))
               AS t(part, place, step)
)
SELECT edition, category, part, place, step, number
FROM (
    SELECT s.edition, s.category, s.part, s.place, s.step, count(c.step) AS number
    FROM steps AS s
    LEFT JOIN counted AS c USING (edition, category, place)
    GROUP BY ALL
)
ORDER BY edition, category <> 'all', category, place
