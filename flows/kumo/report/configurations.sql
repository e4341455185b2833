-- What is each domain made of?
SELECT d.name AS domain, c.n_truths, c.n_actions, c.config
FROM kumo_seed_configs AS c
JOIN kumo_domains AS d USING (edition, domain_id)
WHERE c.edition = $edition
ORDER BY d.name, c.config_id
