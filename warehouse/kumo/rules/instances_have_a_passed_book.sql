-- every instance has a book that passed the check
SELECT instance_id
FROM kumo_instances
ANTI JOIN (SELECT instance_id FROM kumo_books WHERE version = 'final' AND verdict = 'passed') USING (instance_id)
