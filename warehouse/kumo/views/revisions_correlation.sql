-- Is success gained where more books were revised? (the paper's second version, figure 14: r = .676 over its domains)
-- Pearson's r over domains, for each player and setting where it was shown first drafts too. `r` is the paper's: of the number of revised books and
-- `domain_gain`, which is larger where more books were revised even if each of them gains the same, and 0 where none was. `gain_r` is of the same
-- number and the gain of a revised book, over domains that have one, where nothing is related by construction.
WITH pairs AS (
    SELECT edition, setting, player, revised, unnest([{'kind': 'domains', 'gain': domain_gain}, {'kind': 'books', 'gain': gain}], recursive := true)
    FROM revisions_gain
), counted AS (
    SELECT edition, setting, player, kind, count(gain) AS n,
           CASE WHEN count(gain) > 2 AND max(gain) - min(gain) > 1e-11
                 AND max(revised) FILTER (gain IS NOT NULL) > min(revised) FILTER (gain IS NOT NULL) THEN corr(gain, revised) END AS r
    FROM pairs
    GROUP BY ALL
), related AS (
    SELECT *, CASE WHEN n > 3 AND 1 - abs(r) > 1e-12 THEN 1.959963984540054 / sqrt(n - 3) END AS half
    FROM counted
)
SELECT edition, setting, player,
       max(n) FILTER (kind = 'domains') AS domains,
       max(r) FILTER (kind = 'domains') AS r,
       max(tanh(atanh(r) - half)) FILTER (kind = 'domains') AS r_low,
       max(tanh(atanh(r) + half)) FILTER (kind = 'domains') AS r_high,
       max(n) FILTER (kind = 'books') AS gain_domains,
       max(r) FILTER (kind = 'books') AS gain_r,
       max(tanh(atanh(r) - half)) FILTER (kind = 'books') AS gain_r_low,
       max(tanh(atanh(r) + half)) FILTER (kind = 'books') AS gain_r_high,
       'new domains' AS population,
       CASE WHEN max(n) FILTER (kind = 'domains') < 4 THEN 'fewer than four domains'
            WHEN max(half) FILTER (kind = 'domains') IS NULL THEN 'the domains are alike, or on one line' END AS no_interval
FROM related
GROUP BY edition, setting, player
ORDER BY edition, setting, player
