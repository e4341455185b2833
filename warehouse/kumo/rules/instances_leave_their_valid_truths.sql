-- the observed states of an instance leave exactly its valid truths
WITH observed AS (
    SELECT instance_id, config_id, truths, unnest(actions) AS action, unnest(states) AS state
    FROM kumo_instances
), excluded AS (
    SELECT o.instance_id, flatten(list(list_filter(o.truths, lambda t: list_contains(s.rules_out, t)))) AS names
    FROM observed AS o
    JOIN kumo_outcomes AS s USING (config_id, action, state)
    GROUP BY o.instance_id
)
SELECT i.instance_id, i.valid_truths
FROM kumo_instances AS i
LEFT JOIN excluded AS x USING (instance_id)
WHERE list_sort(list_filter(i.truths, lambda t: NOT list_contains(coalesce(x.names, []), t)))
      IS DISTINCT FROM list_sort(i.valid_truths)
   OR len(i.truths) <> i.n_truths OR len(i.actions) <> i.n_actions OR len(i.valid_truths) <> i.n_valid
   OR len(i.states) <> i.n_actions OR len(i.observations) <> i.n_actions
