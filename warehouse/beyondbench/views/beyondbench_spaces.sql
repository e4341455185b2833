-- How likely is it that a problem was seen before? (the paper's appendix E) A row per cell and size: how many problems there are,
-- and the chance that a given one is among 10^12 problems drawn evenly, more than any corpus holds by the paper's section 3.1.
-- What was copied from an edition is another matter: see contamination_gaps. `unlike_paper`: what a cell asks where the paper's does not.
WITH sizes AS (
    SELECT edition, suite, domain, variation, size, count(*) AS problems, min(space_log10) AS space_log10,
           bool_and(space_exact) AS space_exact, any_value(unlike_paper) AS unlike_paper, 10 ** (12 - min(space_log10)) AS expected
    FROM beyondbench_instances
    JOIN instances USING (edition, instance_id)
    GROUP BY ALL
)
SELECT * EXCLUDE (expected, unlike_paper), if(expected < 1e-8, expected, 1 - exp(-expected)) AS chance_seen, unlike_paper
FROM sizes
ORDER BY edition, list_position(['easy', 'medium', 'hard'], suite), domain, variation, size
