-- Which messages was a model sent in a call? One row per message, in order; the reply is in `calls`.
WITH listed AS (
    SELECT edition, evaluation, call_id, role AS call_role, model, status,
           from_json(request -> 'messages', '[{"role": "VARCHAR", "message_id": "VARCHAR"}]') AS messages
    FROM calls
), numbered AS (
    SELECT edition, evaluation, call_id, call_role, model, status, unnest(messages) AS message,
           generate_subscripts(messages, 1) AS position
    FROM listed
)
SELECT n.edition, n.evaluation, n.call_id, n.call_role, n.model, n.status, n.position, n.message.role AS role, m.content
FROM numbered AS n
JOIN messages AS m
  ON m.edition = n.edition AND m.evaluation = n.evaluation AND m.message_id = n.message.message_id
ORDER BY n.edition, n.evaluation, n.call_id, n.position
