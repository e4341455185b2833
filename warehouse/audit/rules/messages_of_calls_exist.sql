-- every message that a call was sent is in messages, and every message belongs to a call
WITH sent AS (
    SELECT c.call_id, unnest(from_json(c.request -> 'messages', '[{"message_id": "VARCHAR"}]')).message_id AS message_id
    FROM calls AS c
)
SELECT call_id, message_id FROM sent ANTI JOIN messages USING (message_id)
UNION ALL
SELECT NULL, message_id FROM messages ANTI JOIN sent USING (message_id)
