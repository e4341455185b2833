-- every imported line of A2RBench became an item or has a reason in rejections, and every imported item but copies has its line
SELECT p.question_id, p.status, i.instance_id
FROM a2rbench_published AS p
FULL JOIN a2rbench_items AS i USING (instance_id)
WHERE CASE WHEN p.question_id IS NULL THEN NOT i.is_remapped AND EXISTS (FROM a2rbench_published)
      ELSE (p.status = 'item') <> (i.instance_id IS NOT NULL)
           OR (p.status = 'rejected'
               AND NOT EXISTS (FROM rejections AS r WHERE r.stage = 'import' AND r.subject = p.question_id)) END
