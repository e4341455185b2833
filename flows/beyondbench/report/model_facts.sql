-- How does accuracy go with what is known of models: family, parameters, quantisation, tuning?
SELECT s.suite, s.player, p.family, p.parameters_billion, p.quantization, p.tuning, s.cells, s.instances,
       s.accuracy, s.accuracy_low, s.accuracy_high
FROM beyondbench_scores AS s
JOIN model_facts AS p USING (edition, player)
WHERE s.edition = $edition AND s.task = 'all'
ORDER BY list_position(['easy', 'medium', 'hard', 'overall'], s.suite), p.family, p.parameters_billion, s.player
