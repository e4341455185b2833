-- the gate ran every item of a rule of A2RBench again that was not imported: all outputs and cycles, one answer each, all prompts and copies
WITH grown AS (
    SELECT rule, count(*) AS items, sum(json_array_length(examples) + 1) AS outputs,
           count(*) FILTER (is_remapped) AS copies
    FROM a2rbench_items
    WHERE NOT EXISTS (FROM a2rbench_published)
    GROUP BY ALL
)
SELECT w.rule, w.items, w.outputs, w.copies, g.items AS tested, g.outputs AS ran, g.cycles, g."unique", g.prompts
FROM grown AS w
LEFT JOIN a2rbench_gate AS g USING (rule)
WHERE (g.items, g.outputs, g.cycles, g."unique", g.prompts, g.copies)
      IS DISTINCT FROM (w.items, w.outputs, w.outputs, w.items, w.items, w.copies)
