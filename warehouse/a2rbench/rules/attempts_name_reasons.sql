-- an attempt of A2RBench's authors has a reason and a message exactly where it did not pass, and a call unless code was run
SELECT domain, number, variation, candidate, step, attempt, passed, reason, call_id
FROM a2rbench_attempts
WHERE passed <> (reason IS NULL) OR passed <> (message IS NULL) OR (call_id IS NULL) <> (step IN ('run', 'inputs_run'))
