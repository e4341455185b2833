"""Ask for JSON as structured output where the server has it, and in words alone where it has not."""

from asyncio import Lock
from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from perennial.schemas.model_calls.calls import ModelRequest, Reply
from perennial.tasks.llm.asking import Ask

JsonSchema = dict[str, Any]


class SchemaSupport:
    """What is known of a server so far: for which model and schema it has structured output.

    Give one to all askers of a run, so that the run finds it out once. Requests to the models `together` are
    sent together: none waits for the first one's reply.
    """

    def __init__(self, together: Collection[str] = ()) -> None:
        self.together = together
        self.known: dict[tuple[str, str], bool] = {}
        self.finding_out: defaultdict[tuple[str, str], Lock] = defaultdict(Lock)


class JsonAsker:
    """Asks with a JSON schema as `response_format`, and without where the server rejects that.

    The first request of a model and schema goes alone and the others wait for it, so that not all of them are
    rejected at once. Support is taken for a property of model and schema: then the id of the call that is
    answered depends on the request alone, and a resumed run finds it in the ledger.
    """

    def __init__(self, ask: Ask, support: SchemaSupport | None = None) -> None:
        self._ask = ask
        self._support = support or SchemaSupport()

    async def __call__(self, request: ModelRequest, name: str, schema: JsonSchema) -> Reply:
        """Return the reply to the request with this schema, or without it where the server rejects that.

        `name` names the schema (letters, digits, `_` and `-`). The two requests have ids of their own, so
        both calls are kept. A reply is text in either case: read it by `json_text`. What `ask` raises
        passes through.
        """
        key = request.model, name
        known = self._support.known
        if key not in known and request.model in self._support.together:
            return await self._first_reply(request, name, schema)
        if key not in known:
            async with self._support.finding_out[key]:
                if key not in known:
                    return await self._first_reply(request, name, schema)
        if known[key]:
            reply = await self._ask(with_schema(request, name, schema))
            if reply.status != "rejected":
                return reply
        return await self._ask(request)

    async def _first_reply(self, request: ModelRequest, name: str, schema: JsonSchema) -> Reply:
        key = request.model, name
        reply = await self._ask(with_schema(request, name, schema))
        if reply.answered:
            self._support.known[key] = True
        if reply.status != "rejected":
            return reply
        plain = await self._ask(request)
        # Rejected in both forms it says nothing of structured output: the request has another fault.
        if plain.answered:
            self._support.known[key] = False
        return plain


def with_schema(request: ModelRequest, name: str, schema: JsonSchema) -> ModelRequest:
    """Return the request with the schema as its `response_format`, as OpenAI's Chat Completions has it."""
    form = {"type": "json_schema", "json_schema": {"name": name, "schema": schema, "strict": True}}
    return replace(request, params={**request.params, "response_format": form})


def object_schema(**properties: JsonSchema) -> JsonSchema:
    """Return the schema of an object with exactly these keys: strict structured output wants all required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
