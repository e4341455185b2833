-- Is a book harder to find in the middle of a long context (`--books among-N`)? Each player's success rate by where the
-- instance's own book stood among the others. The place is drawn for each instance, so that parts differ by chance in their
-- instances alone.
WITH opened AS MATERIALIZED (
    SELECT e.edition, e.evaluation, i.setting, e.player, e.instance_id, split_part(e.version, '-', 2)::INTEGER AS books, e.score,
           k.book_id, json_extract_string(c.request, '$.messages[0].message_id') AS message_id
    FROM episodes AS e
    JOIN turns AS t ON t.edition = e.edition AND t.evaluation = e.evaluation AND t.episode_id = e.episode_id AND t.turn = 1
    JOIN calls AS c ON c.edition = t.edition AND c.evaluation = t.evaluation AND c.call_id = t.call_id
    LEFT JOIN instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id
    JOIN kumo_episodes AS k ON k.edition = e.edition AND k.evaluation = e.evaluation AND k.episode_id = e.episode_id
    WHERE starts_with(e.version, 'among-') AND e.status <> 'api_error'
), shown AS MATERIALIZED (
    -- In a step of its own: DuckDB may join all messages with all books first, by their edition alone.
    SELECT DISTINCT o.edition, o.evaluation, o.message_id, o.book_id, m.content
    FROM opened AS o
    JOIN messages AS m ON m.edition = o.edition AND m.evaluation = o.evaluation AND m.message_id = o.message_id
), places AS (
    SELECT s.edition, s.evaluation, s.message_id, s.book_id,
           len(string_split(split_part(s.content, trim(b.text, chr(10)), 1), chr(10) || '<BOOK>' || chr(10))) - 1 AS place
    FROM shown AS s
    JOIN kumo_books AS b ON b.edition = s.edition AND b.book_id = s.book_id
), scores AS (
    SELECT edition, setting, player, books, instance_id, any_value(place) AS place, avg(score) AS score
    FROM opened
    JOIN places USING (edition, evaluation, message_id, book_id)
    GROUP BY edition, setting, player, books, instance_id
), rates AS (
    SELECT edition, setting, player, books, floor(3 * (place - 0.5) / books)::INTEGER + 1 AS third, count(*) AS instances,
           avg(score) AS success_rate, 1.959964 * 1.959964 / count(*) AS z2n
    FROM scores
    GROUP BY ALL
)
SELECT edition, setting, player, books, third, instances, success_rate,
       (success_rate + z2n / 2 - sqrt(z2n * (success_rate * (1 - success_rate) + z2n / 4))) / (1 + z2n) AS success_rate_low,
       (success_rate + z2n / 2 + sqrt(z2n * (success_rate * (1 - success_rate) + z2n / 4))) / (1 + z2n) AS success_rate_high
FROM rates
ORDER BY edition, setting, player, books, third
