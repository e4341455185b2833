-- Which instances are in no export until their edition is retired?
-- Whole origins, in number as near to the setting private_share as they allow, spread over domains and settings by
-- largest remainders; the seed's commitment decides which. At least one origin is private, and, of several, one is not.
WITH shares AS (
    SELECT edition, seed_commitment, (settings::JSON->>'private_share')::DOUBLE AS share FROM editions
), origins AS (
    SELECT i.edition, i.origin, min(i.domain) AS domain, min(i.setting) AS setting, count(*) AS instances, s.share,
           sha256(s.seed_commitment || ' private ' || i.origin) AS draw
    FROM instances AS i
    JOIN shares AS s ON s.edition = i.edition
    WHERE s.share > 0
    GROUP BY ALL
), cells AS (
    -- By how much a cell exceeds its part with this origin: below 1 for its last one at most.
    SELECT *, round(row_number() OVER (PARTITION BY edition, domain, setting ORDER BY draw)
                    - share * count(*) OVER (PARTITION BY edition, domain, setting), 9) AS excess
    FROM origins
), ordered AS (
    SELECT edition, origin, row_number() OVER (PARTITION BY edition ORDER BY excess, draw) AS place,
           count(*) OVER (PARTITION BY edition) AS total,
           abs(sum(instances) OVER (PARTITION BY edition ORDER BY excess, draw)
               - share * sum(instances) OVER (PARTITION BY edition)) AS distance
    FROM cells
), lasts AS (
    SELECT edition, arg_min(place, (round(distance, 9), place)) AS last FROM ordered WHERE place < greatest(total, 2) GROUP BY edition
)
SELECT i.edition, i.instance_id, i.domain, i.setting
FROM instances AS i
JOIN ordered AS o ON o.edition = i.edition AND o.origin = i.origin
JOIN lasts AS l ON l.edition = i.edition
WHERE o.place <= l.last
