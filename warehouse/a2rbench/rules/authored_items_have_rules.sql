-- in an edition of A2RBench that models wrote rules for, each item of a model's rule is of a rule of a2rbench_rules, its code and its cell
SELECT i.instance_id, i.rule, i.author, r.author AS rule_author, n.domain, r.domain AS rule_domain
FROM a2rbench_items AS i
JOIN instances AS n USING (instance_id)
LEFT JOIN a2rbench_rules AS r ON r.rule = i.rule AND r.domain = n.domain
WHERE i.author NOT IN ('drawn', 'catalogue') AND (SELECT count(*) FROM a2rbench_rules) > 0
  AND (r.author, r.code, r.description) IS DISTINCT FROM (i.author, i.code, i.description)
