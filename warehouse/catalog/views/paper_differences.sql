-- How did the answers of an edition come about otherwise than the numbers of the benchmark's paper? A row for each difference, of
-- one player or (NULL) of all; none where a player was asked the paper's own questions in the paper's own way.
SELECT edition, NULL::VARCHAR AS player, NULL::VARCHAR AS differs
FROM editions WHERE false
