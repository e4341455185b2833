-- How did an episode go, turn by turn: what was the player shown, what did it reply, and what came back?
-- `shown` is what is new before the reply: in a model's first call all messages, later those after its last reply; for
-- programs and imported runs, of which no messages are kept, what came back in the turn before. One row per turn, with the
-- same columns for all of them. `perennial episode ID` prints one episode.
WITH calls_of_turns AS (
    SELECT t.edition, t.evaluation, t.episode_id, t.turn, c.request, c.reply, c.reasoning,
           coalesce(json_array_length(p.request -> 'messages') + 1, 0) AS known
    FROM turns AS t
    JOIN calls AS c ON c.edition = t.edition AND c.evaluation = t.evaluation AND c.call_id = t.call_id
    LEFT JOIN turns AS b
      ON b.edition = t.edition AND b.evaluation = t.evaluation AND b.episode_id = t.episode_id AND b.turn = t.turn - 1
    LEFT JOIN calls AS p ON p.edition = b.edition AND p.evaluation = b.evaluation AND p.call_id = b.call_id
    WHERE t.call_id IS NOT NULL
), new_messages AS (
    SELECT * EXCLUDE (request, reply, reasoning),
           unnest(json_extract_string(request, '$.messages[*].message_id')) AS message_id,
           generate_subscripts(json_extract_string(request, '$.messages[*].message_id'), 1) AS position
    FROM calls_of_turns
), shown AS (
    SELECT n.edition, n.evaluation, n.episode_id, n.turn,
           string_agg(m.content, chr(10) || chr(10) ORDER BY n.position) AS shown
    FROM new_messages AS n
    JOIN messages AS m ON m.edition = n.edition AND m.evaluation = n.evaluation AND m.message_id = n.message_id
    WHERE n.position > n.known
    GROUP BY n.edition, n.evaluation, n.episode_id, n.turn
)
SELECT e.edition, e.evaluation, i.benchmark, i.domain, i.setting, e.instance_id, e.episode_id, e.player, e.run, e.version, e.status,
       t.turn, coalesce(s.shown, b.feedback) AS shown, coalesce(t.reply, c.reply) AS reply, c.reasoning, t.feedback, t.call_id
FROM episodes AS e
JOIN turns AS t USING (edition, evaluation, episode_id)
-- Not an inner join, which DuckDB may do first, between turns and instances, by their edition alone.
LEFT JOIN instances AS i ON i.edition = e.edition AND i.instance_id = e.instance_id
LEFT JOIN turns AS b
  ON b.edition = t.edition AND b.evaluation = t.evaluation AND b.episode_id = t.episode_id AND b.turn = t.turn - 1
LEFT JOIN calls_of_turns AS c
  ON c.edition = t.edition AND c.evaluation = t.evaluation AND c.episode_id = t.episode_id AND c.turn = t.turn
LEFT JOIN shown AS s
  ON s.edition = t.edition AND s.evaluation = t.evaluation AND s.episode_id = t.episode_id AND s.turn = t.turn
ORDER BY e.edition, e.player, e.instance_id, e.version NULLS FIRST, e.run, t.turn
