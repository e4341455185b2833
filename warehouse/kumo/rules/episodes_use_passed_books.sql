-- every episode was played with a book of its own instance that passed the check, or with the first draft that it says
SELECT e.episode_id, b.book_id, b.verdict
FROM episodes AS e
JOIN kumo_episodes AS k USING (episode_id)
JOIN kumo_books AS b USING (book_id)
WHERE b.instance_id <> e.instance_id
   OR b.version <> CASE WHEN regexp_matches(e.version, '^(among|reliability)-') THEN 'final' ELSE coalesce(e.version, 'final') END
   OR (b.verdict <> 'passed' AND b.version <> 'first')
