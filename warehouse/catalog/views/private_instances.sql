-- Which instances are in no export until their edition is retired?
-- The setting private_share says how many of each domain and setting; the seed's commitment decides which.
WITH shares AS (
    SELECT edition, seed_commitment, (settings::JSON->>'private_share')::DOUBLE AS share FROM editions
), placed AS (
    SELECT i.edition, i.instance_id, i.domain, i.setting, s.share,
           row_number() OVER (
               PARTITION BY i.edition, i.domain, i.setting
               ORDER BY sha256(s.seed_commitment || ' private ' || i.instance_id)
           ) AS place,
           count(*) OVER (PARTITION BY i.edition, i.domain, i.setting) AS instances
    FROM instances AS i
    JOIN shares AS s ON s.edition = i.edition
    WHERE s.share > 0
)
SELECT edition, instance_id, domain, setting
FROM placed
WHERE place <= round(share * instances)
