-- Which kinds of items does the edition have: seeds, variations, copies?
SELECT DISTINCT setting, list_position(['seed', 'augmented', 'remapped'], setting) AS place
FROM instances
WHERE edition = $edition
ORDER BY place
