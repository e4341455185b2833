-- an instance has one final book at most; beside a model's stand its first draft, if that failed, the second writer's book, if
-- that passed, and the template's
WITH by_models AS (
    SELECT instance_id, book_id, verdict FROM kumo_books WHERE version = 'final' AND author <> 'template'
), beside AS (
    FROM kumo_books WHERE version IN ('first', 'second', 'template')
)
SELECT instance_id, any_value(book_id) AS book_id, version
FROM kumo_books
WHERE NOT ends_with(version, 'draft')
GROUP BY ALL
HAVING count(*) > 1
UNION ALL
SELECT instance_id, book_id, version FROM beside ANTI JOIN by_models USING (instance_id)
UNION ALL
SELECT instance_id, book_id, version
FROM beside
WHERE (version = 'first' AND (author = 'template' OR verdict <> 'failed' OR revision > 0))
   OR (version = 'second' AND (author = 'template' OR verdict <> 'passed'))
   OR (version = 'template' AND (author <> 'template' OR checked_by IS DISTINCT FROM 'symbolic' OR is_replacement))
UNION ALL
SELECT instance_id, book_id, 'final'
FROM by_models
ANTI JOIN (SELECT instance_id FROM beside WHERE version = 'template') USING (instance_id)
WHERE verdict = 'passed'
