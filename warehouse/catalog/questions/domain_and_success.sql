-- Does the domain of an instance go with solving it: Cramér's V of domain and outcome (solved in most runs), over instances?
-- $edition = %
-- $player = %
-- No row: no player has both solved and lost instances of a setting, with two domains and at least five instances per domain.
WITH outcomes AS (
    SELECT e.edition, i.setting, e.player, e.instance_id, any_value(i.domain) AS domain, 2 * count(*) FILTER (e.success) > count(*) AS solved
    FROM episodes AS e
    JOIN instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id
    WHERE e.edition LIKE $edition AND e.player LIKE $player AND e.status <> 'api_error' AND e.version IS NULL
    GROUP BY ALL
)
SELECT edition, setting, player, count(*) AS instances, count(DISTINCT domain) AS domains,
       cramers_v_corrected(domain, solved) AS corrected_v, cramers_v(domain, solved) AS cramers_v, chi_square_p(domain, solved) AS chi_square_p
FROM outcomes
GROUP BY edition, setting, player
HAVING count(DISTINCT solved) > 1 AND count(DISTINCT domain) > 1 AND count(*) >= 5 * count(DISTINCT domain)
ORDER BY edition, setting, corrected_v DESC NULLS LAST, player
