-- Does the shape of an instance's truth-action graph go with solving it?
SELECT setting, player, instances, cramers_v, chi_square_p, corrected_v, permutation_p
FROM topology_association
WHERE edition = $edition AND domain = 'all'
ORDER BY setting, player
