-- Is 2D harder than 1D and 3D, and whose rules make it so?
SELECT * EXCLUDE (edition)
FROM a2rbench_dimensions
WHERE edition = $edition
