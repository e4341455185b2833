-- Does a judge who sees the rules agree with the check that reads a book back? A row a writer, judge, verdict of the check and
-- judgement, over all versions of the models' books; `judged_right` NULL: no reply of the judge said so.
SELECT b.edition, b.author, b.judged_by, b.verdict, b.judged_right, count(*) AS books
FROM kumo_books AS b
WHERE b.judged_by IS NOT NULL
GROUP BY ALL
ORDER BY b.edition, b.author, b.judged_by, b.verdict, b.judged_right
