"""The tables of model calls."""

from perennial.schemas.model_calls.calls import CALL_STATUSES, REASONING_SOURCES, ROLES, USAGE_STATUSES
from perennial.schemas.table_form import Column, Table

CALLS = Table(
    "calls",
    "one model call",
    (
        Column("call_id", "string", "content id of model, parameters, messages and repeat index"),
        Column("role", "string", "the role in which the model was called", allowed=ROLES),
        Column("model", "string", "the model that was requested"),
        Column("served_model", "string", "the model that the server reports", nullable=True),
        Column("template", "string", "the template of the last message"),
        Column("template_hash", "string", "content id of that template and all that it includes"),
        Column("repeat", "int64", "distinguishes runs with the same request", minimum=0),
        Column("request", "string", "model, parameters, and messages by role and message_id (JSON)"),
        Column("reply", "string", "the reply's text without its reasoning", nullable=True),
        Column("reasoning", "string", "the reply's reasoning, kept apart", nullable=True),
        Column(
            "reasoning_source", "string", "where in the response the reasoning was", allowed=REASONING_SOURCES
        ),
        Column("finish_reason", "string", "why the server ended the reply", nullable=True),
        Column("prompt_tokens", "int64", "tokens of the request", nullable=True, minimum=0),
        Column(
            "completion_tokens", "int64", "tokens of the reply, including reasoning", nullable=True, minimum=0
        ),
        Column("reasoning_tokens", "int64", "tokens of the reasoning", nullable=True, minimum=0),
        Column("cached_tokens", "int64", "prompt tokens that came from a cache", nullable=True, minimum=0),
        Column(
            "usage",
            "string",
            "token counts: reported by the server; derived: with reasoning that it counts beside the reply; "
            "short: it reported fewer prompt tokens than the prompt can have, so it seems to cut prompts; "
            "bounded: it reported more than can be; or missing",
            allowed=USAGE_STATUSES,
        ),
        Column("usage_reported", "string", "what it reported, where the counts differ (JSON)", nullable=True),
        Column(
            "cost_usd", "float64", "cost, NULL where tokens or price are unknown", nullable=True, minimum=0
        ),
        Column("status", "string", "what became of the call", allowed=CALL_STATUSES),
        Column("error", "string", "what went wrong, NULL for an answer", nullable=True),
        Column("endpoint", "string", "where it was sent", volatile=True),
        Column(
            "batch_id",
            "string",
            "the server's batch that answered it, NULL for a call of its own",
            nullable=True,
            volatile=True,
        ),
        Column("attempts", "int64", "requests made for it, retries included", minimum=1, volatile=True),
        Column("latency_s", "float64", "seconds of the last attempt", minimum=0, volatile=True),
    ),
    key=("call_id",),
    # Two batches may need the same reply, which is asked for once: equal texts to judge, for example.
    is_shared=True,
    kind="either",
)

MESSAGES = Table(
    "messages",
    "one text that models were sent",
    (
        Column("message_id", "string", "content id of the text"),
        Column("content", "string", "the text, kept once however many calls send it"),
    ),
    key=("message_id",),
    is_shared=True,
    kind="either",
)
