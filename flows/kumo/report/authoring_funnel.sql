-- How many of the domains and books that models wrote got how far?
SELECT category, part, place, step, number
FROM authoring_funnel
WHERE edition = $edition
ORDER BY category <> 'all', category, place
