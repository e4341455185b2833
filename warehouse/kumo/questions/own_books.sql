-- Does a model do better with books that it wrote itself than with a second writer's books of the same instances?
-- $edition = %
-- No row: no two players have read books of two writers in KUMO (--second-writer with --books final,second).
WITH authors AS (
    SELECT edition, arg_min(author, revision) FILTER (NOT starts_with(version, 'second')) AS writer,
           arg_min(author, revision) FILTER (starts_with(version, 'second')) AS second_writer
    FROM kumo_books
    GROUP BY ALL
)
SELECT p.edition, p.setting, a.writer, a.second_writer, p.player, p.other_player, p.instances, p.preference,
       p.preference_low, p.preference_high
FROM version_preferences AS p
JOIN authors AS a USING (edition)
WHERE p.version = 'second' AND p.edition LIKE $edition
ORDER BY p.edition, p.setting, p.player, p.other_player
