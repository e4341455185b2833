-- the gate tested every problem of a cell with 20 changed answers or more, each refused or right by the independent checker
WITH cells AS (
    SELECT domain, variation, count(*) AS problems
    FROM beyondbench_instances
    JOIN instances USING (instance_id)
    GROUP BY ALL
)
SELECT c.domain, c.variation, c.problems, g.problems AS tested, g.mutations, g.refused, g.also_right
FROM cells AS c
LEFT JOIN beyondbench_gate AS g USING (domain, variation)
WHERE g.problems IS DISTINCT FROM c.problems OR g.mutations < 20 * c.problems
   OR g.mutations <> g.refused + g.also_right OR g."unique" > g.problems
