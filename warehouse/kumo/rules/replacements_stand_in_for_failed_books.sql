-- a replacement book follows on versions of a model that all failed, and nothing but the control on one that passed
SELECT b.instance_id, b.book_id, b.revision
FROM kumo_books AS b
JOIN kumo_books AS o USING (instance_id)
WHERE (b.is_replacement AND o.book_id <> b.book_id AND (o.verdict = 'passed' OR o.revision > b.revision))
   OR (b.verdict = 'passed' AND o.revision > b.revision AND o.version <> 'template')
