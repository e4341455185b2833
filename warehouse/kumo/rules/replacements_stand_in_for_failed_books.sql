-- a replacement book follows on versions of a model that all failed, and nothing but the control on one that passed
WITH books AS (
    FROM kumo_books WHERE NOT starts_with(version, 'second')
)
SELECT b.instance_id, b.book_id, b.revision
FROM books AS b
JOIN books AS o USING (instance_id)
WHERE (b.is_replacement AND o.book_id <> b.book_id AND (o.verdict = 'passed' OR o.revision > b.revision))
   OR (b.verdict = 'passed' AND o.revision > b.revision AND o.version <> 'template')
