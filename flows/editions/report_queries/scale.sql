-- How able is each player over all editions of this benchmark, on one scale?
SELECT s.setting, s.statistic, s.player || if(s.protocol_id = '', '', ' (protocol ' || s.protocol_id || ')') AS player, s.other AS other,
       s.value, s.standard_error, s.low, s.high, s.domains, s.editions, s.link,
       s.discrimination, s.discrimination_p_holm, e.created_at
FROM scale AS s
LEFT JOIN editions AS e ON e.edition = s.other AND s.statistic IN ('rate_in_edition', 'shift_of_edition')
WHERE s.benchmark = (SELECT benchmark FROM editions WHERE edition = $edition) AND s.statistic <> 'difference'
ORDER BY s.setting, s.statistic, s.value DESC, s.player, s.protocol_id, e.created_at, s.other
