"""Ask for JSON as structured output where the server has it, and in words alone where it has not."""

import json
import re
from asyncio import Lock
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.model_calls import AttemptEnd, ModelRequest, Reply, StoredBatch

# What authors and players need of a model client, and what the client needs of a ledger.


class Ask(Protocol):
    """Ask a model: the stored reply where the ledger has one, otherwise a new one, stored before use."""

    async def __call__(self, request: ModelRequest) -> Reply:
        """The reply; one that is no answer has a status and an `error` that say so.

        Raises EndpointFailed or LimitReached where no further call makes sense: let it pass through.
        """
        ...


class Ledger(Protocol):
    """Where every reply is kept."""

    def find(self, call_id: str) -> Reply | None:
        """The kept reply of an answered call, or None; failed calls are not found."""
        ...

    def has_answered(self, model: str) -> bool:
        """Whether the model's server has ever answered a call of the model."""
        ...

    async def store(self, request: ModelRequest, reply: Reply) -> Reply:
        """Keep the reply and return, once it would survive a crash, the one that is kept.

        An answered call that another process has kept meanwhile wins over this one.
        """
        ...

    async def begin_attempt(self, request: ModelRequest, estimate_usd: float | None) -> int:
        """Count a request that is about to be sent, and return its number once that would survive a crash.

        `estimate_usd` is what it counts for as long as its cost is not known, None where it has no bound.
        """
        ...

    async def end_attempt(self, end: AttemptEnd) -> None:
        """Keep what an attempt came to; one that was not sent is counted no more."""
        ...

    def find_last_attempt(self, call_id: str) -> tuple[int, float | None] | None:
        """Number and estimate of the call's last attempt, None where it has none."""
        ...


class BatchLedger(Protocol):
    """Where the batches of a server are kept that calls were submitted in."""

    def find_batch(self, model: str, call_id: str) -> StoredBatch | None:
        """The batch that a call of the model waits for, None where it is in none."""
        ...

    def begin_batch(
        self, model: str, input_digest: str, file_id: str, calls: Mapping[str, float | None]
    ) -> StoredBatch:
        """Keep which calls are in a batch, and count an attempt of each, before the server creates it.

        `calls` gives for each what it counts for as long as its cost is not known.
        """
        ...

    def calls_of_batch(self, batch: StoredBatch) -> set[str]:
        """The ids of the calls in a batch."""
        ...

    def keep_batch_id(self, batch: StoredBatch, batch_id: str) -> StoredBatch:
        """Keep the id that the server gave a batch, and return the batch with it."""
        ...

    def forget_batch(self, batch: StoredBatch, *, was_made: bool) -> None:
        """Remove a batch that has no answers; where it was never made, its attempts are counted no more."""
        ...


# Find the JSON document in a model's reply, whatever fences and prose are around it.
#
# Nothing is repaired. Where a document begins and has a defect, no part of it is taken for the whole.

_FENCE = re.compile(r"^[ \t]*```[ \t]*(\w*)[ \t]*$", re.MULTILINE)
# Where an object, or a list of objects, lists or texts, is meant to begin: brackets in prose are not. Pairs
# with nothing within are left out: nothing is shorter, and they may be many.
_BEGINNING = re.compile(r"""\{(?!\})(?=\s*(?:["'}]|//|\w+\s*:|\Z))|\[(?!\])(?=\s*(?:[\[{"'\]]|\Z))""")
_ANY_BRACKET = re.compile(r"\s*[\[{]")
# Beginnings of a literal, a number's fraction or exponent, and an escape: what a cut leaves of a token.
_CUT_TOKEN = re.compile(r"t(r(ue?)?)?|f(a(l(se?)?)?)?|n(u(ll?)?)?|-|\.|[eE][+-]?")
_CUT_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{0,4})?\Z")
_DECODER = json.JSONDecoder()


def json_text(content: str) -> str:
    """The JSON document that the reply holds, as it is written there.

    That is what the last block fenced as json holds; without one, the last unnamed block that begins with
    a bracket; without both, the whole text. Of several outermost objects or lists (of objects, lists or
    texts) there it is the longest, of equals the last. `perennial.tasks.kumo.configuration.parse_json` reads
    it strictly; here only its ends are found.
    Raises UnreadableInput, in one line, where the reply holds no document, or a cut off or broken one.
    """
    body = _find_fenced_body(content)
    text = content if body is None else body
    document = _longest_document(text)
    if document is None:
        raise UnreadableInput("the reply holds no JSON document; give one JSON object and nothing else")
    return document


def is_cut_off(content: str) -> bool:
    """Whether a JSON document begins in the reply and breaks off where the reply ends."""
    body = _find_fenced_body(content)
    text = content if body is None else body
    try:
        _longest_document(text)
    except _Broken as broken:
        return broken.is_cut
    return False


class _Broken(UnreadableInput):
    """A document that begins as JSON and is none; `is_cut`: it only lacks its end."""

    def __init__(self, message: str, is_cut: bool) -> None:
        super().__init__(message)
        self.is_cut = is_cut


def _find_fenced_body(content: str) -> str | None:
    """What is in the last json block, or the last unnamed block that holds a document, if any.

    A fence is on a line of its own, which no string of a JSON document can hold.
    """
    named, unnamed = None, None
    for name, body in _blocks(content):
        if name.lower() == "json":
            named = body
        elif not name and _ANY_BRACKET.match(body):
            unnamed = body
    return unnamed if named is None else named


def _blocks(content: str) -> Iterator[tuple[str, str]]:
    """(name, body) of each fenced block; the last one may lack its end."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(content):
        if opened is None or fence[1]:
            opened = fence
        else:
            yield opened[1], content[opened.end() : fence.start()]
            opened = None
    if opened is not None:
        yield opened[1], content[opened.end() :]


def _longest_document(text: str) -> str | None:
    """The longest outermost document of the text, of equals the last; raise _Broken at a defect."""
    first = max(text.rfind("{}"), text.rfind("[]"))
    last = first + 2 if first >= 0 else -1
    beginning = _BEGINNING.search(text)
    while beginning is not None:
        start = beginning.start()
        end = _end_of_document(text, start)
        # The search goes on behind each document, so that no part of one is taken for the whole.
        if end - start >= last - first:
            first, last = start, end
        beginning = _BEGINNING.search(text, end)
    return None if last < 0 else text[first:last]


def _end_of_document(text: str, start: int) -> int:
    try:
        return _DECODER.raw_decode(text, start)[1]
    except json.JSONDecodeError as error:
        is_cut = _is_cut_at(text, error)
        line = text.count("\n", start, error.pos) + 1
        problem = "it ends in the middle" if is_cut else f"line {line} of it: {error.msg}"
        message = f"the reply's JSON document is {'cut off' if is_cut else 'broken'}: {problem}"
        raise _Broken(message + "; give the whole document as valid JSON", is_cut) from None
    except RecursionError:
        raise _Broken("the reply's JSON document is nested too deeply; expected five levels", False) from None
    except ValueError:  # a whole number of more digits than Python converts
        raise _Broken("the reply's JSON document holds a number of thousands of digits", False) from None


def _is_cut_at(text: str, error: json.JSONDecodeError) -> bool:
    rest = text[error.pos :].strip()
    if error.msg.startswith("Unterminated string") or not rest:
        return True
    if error.msg.startswith("Invalid \\"):
        return _CUT_ESCAPE.search(text.rstrip()) is not None
    return _CUT_TOKEN.fullmatch(rest) is not None


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
        """The reply to the request with this schema, or without it where the server rejects that.

        `name` names the schema (letters, digits, `_` and `-`). The two requests have ids of their own, so
        both calls are kept. A reply is text in either case: read it by `json_text`. What `ask` raises
        passes through.
        """
        key = request.model, name
        support = self._support.known
        if key not in support and request.model in self._support.together:
            return await self._first_reply(request, name, schema)
        if key not in support:
            # Looked at again within the lock: another call may have found it out while this one waited.
            async with self._support.finding_out[key]:
                if key not in support:
                    return await self._first_reply(request, name, schema)
        if support[key]:
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
    """The request with the schema as its `response_format`, as OpenAI's Chat Completions has it."""
    form = {"type": "json_schema", "json_schema": {"name": name, "schema": schema, "strict": True}}
    return replace(request, params={**request.params, "response_format": form})


def object_schema(**properties: JsonSchema) -> JsonSchema:
    """The schema of an object with exactly these keys: strict structured output wants all required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
