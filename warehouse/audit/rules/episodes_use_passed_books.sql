-- every episode was played with a book of its own instance that passed the check
SELECT e.episode_id, e.book_id, b.verdict
FROM episodes AS e
JOIN books AS b USING (book_id)
WHERE b.instance_id <> e.instance_id OR b.verdict <> 'passed'
