-- How many books had to be revised, in each domain and setting? (the paper's second version, figure 13)
-- A second writer's books do not count. `revised`: a later version passed; `replaced`: none did, and the template's book is used. The last four columns
-- count the first versions in which the check found each kind of error.
WITH histories AS (
    SELECT edition, instance_id, max(revision) AS last_revision, bool_or(is_replacement) AS replaced,
           arg_min(author, revision) AS author,
           bool_or(revision = 0 AND len(missing_rules) > 0) AS missing,
           bool_or(revision = 0 AND len(extra_rules) > 0) AS extra,
           bool_or(revision = 0 AND len(confirmed_rules) > 0) AS confirmed,
           bool_or(revision = 0 AND len(ambiguous_rules) > 0) AS ambiguous
    FROM kumo_books
    WHERE version <> 'template' AND NOT starts_with(version, 'second')
    GROUP BY ALL
)
SELECT h.edition, i.domain, i.setting, h.author,
       count(*) AS books,
       count(*) FILTER (h.last_revision = 0 AND NOT h.replaced) AS unchanged,
       count(*) FILTER (h.last_revision > 0 AND NOT h.replaced) AS revised,
       count(*) FILTER (h.replaced) AS replaced,
       count(*) FILTER (h.missing) AS missing,
       count(*) FILTER (h.extra) AS extra,
       count(*) FILTER (h.confirmed) AS confirmed,
       count(*) FILTER (h.ambiguous) AS ambiguous
FROM histories AS h
JOIN instances AS i USING (edition, instance_id)
GROUP BY ALL
ORDER BY h.edition, i.setting, i.domain, h.author
