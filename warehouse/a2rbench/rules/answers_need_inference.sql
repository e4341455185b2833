-- no answer of A2RBench is its query or the output of an example, so that who repeats either is never right
SELECT instance_id, rule, variation, "query", answer
FROM a2rbench_items
WHERE answer = "query"
   OR list_contains(list_transform(json_extract(examples, '$[*][1]'), lambda output: output::VARCHAR), answer)
