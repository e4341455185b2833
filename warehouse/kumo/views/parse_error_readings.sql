-- What did the replies hold that ended an episode because no move could be read, and who could have read them?
-- `as_listed`: the last pair of tags, in any case, holds a listed name; `other_case`: one in another case or spacing;
-- `in_markdown`: one within quotes, asterisks, a bullet, `${ }` or before a full stop; `two_names`: pairs of tags name
-- different moves; `not_listed`: the last pair holds anything else; `no_tags`: there is no complete pair; `no_reply`: an empty
-- reply. perennial reads the first three (`read_by_perennial`), protocol kumo-2025 exact names alone.
WITH last_replies AS (
    SELECT edition, evaluation, episode_id, any_value(e.player) AS player, any_value(e.instance_id) AS instance_id,
           arg_max(t.reply, t.turn) AS reply
    FROM episodes AS e
    JOIN turns AS t USING (edition, evaluation, episode_id)
    WHERE e.status = 'unparsed'
    GROUP BY edition, evaluation, episode_id
), replies AS (
    SELECT r.*, i.setting, k.truths || k.actions AS names
    FROM last_replies AS r
    JOIN instances AS i USING (edition, instance_id)
    JOIN kumo_instances AS k USING (edition, instance_id)
), contents AS (
    -- Each closing tag ends the text behind the last opening one before it.
    SELECT *, [trim(string_split_regex(part, '(?i)<answer>')[-1], E' \t\r\n')
               FOR part IN string_split_regex(reply, '(?i)</answer>')[:-2]
               IF regexp_matches(part, '(?i)<answer>')] AS texts
    FROM replies
), folded AS (
    SELECT *, [lower(regexp_replace(name, '\s+', ' ', 'g')) FOR name IN names] AS folded_names,
           [lower(regexp_replace(trim(text, E' \t\r\n$.-*•_`"''“”‘’«»{}'), '\s+', ' ', 'g')) FOR text IN texts] AS bare_texts,
           lower(regexp_replace(texts[-1], '\s+', ' ', 'g')) AS folded_text
    FROM contents
), bare AS (
    SELECT *, [trim(name, E' \t\r\n$.-*•_`"''“”‘’«»{}') FOR name IN folded_names] AS bare_names
    FROM folded
), readings AS (
    SELECT edition, evaluation, player, setting,
           CASE WHEN coalesce(trim(reply, E' \t\r\n'), '') = '' THEN 'no_reply'
                WHEN len(texts) = 0 THEN 'no_tags'
                WHEN len(list_distinct(list_filter(bare_texts, lambda text: list_contains(bare_names, text)))) > 1
                    THEN 'two_names'
                WHEN list_contains(names, texts[-1]) THEN 'as_listed'
                WHEN list_contains(folded_names, folded_text) THEN 'other_case'
                WHEN list_contains(bare_names, bare_texts[-1]) THEN 'in_markdown'
                ELSE 'not_listed' END AS reading
    FROM bare
)
SELECT edition, evaluation, setting, player, reading, reading IN ('as_listed', 'other_case', 'in_markdown') AS read_by_perennial,
       count(*) AS episodes, count(*) / sum(count(*)) OVER (PARTITION BY edition, evaluation, setting, player) AS share
FROM readings
GROUP BY edition, evaluation, setting, player, reading
ORDER BY edition, evaluation, setting, player, episodes DESC, reading
