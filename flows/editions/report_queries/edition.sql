-- What is this edition?
SELECT benchmark, created_at, seed, code_version,
       (counts::JSON->>'seed_configs')::BIGINT AS domains,
       (counts::JSON->>'kumo_instances')::BIGINT AS instances,
       (counts::JSON->>'episodes')::BIGINT AS episodes
FROM editions
WHERE edition = $edition
