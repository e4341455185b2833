-- How well do the models do on average, from easy to hard?
SELECT * EXCLUDE (edition)
FROM knowlogic_model_means
WHERE edition = $edition
