-- Does the shape of an instance's truth-action graph go with solving it?
SELECT setting, player, instances, cramers_v_kumo_2025, cramers_v_kumo_2025_low, cramers_v_kumo_2025_high,
       chi_square_p_kumo_2025, chi_square_p_kumo_2025_shown,
       corrected_v, corrected_v_low, corrected_v_high, permutation_p, permutation_p_holm
FROM topology_association
WHERE edition = $edition AND domain = 'all'
ORDER BY setting, player
