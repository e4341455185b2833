"""Speak the Batch API with the protocol's client: one request each, read by others."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Final

from perennial.schemas.model_calls.calls import CallPolicy
from perennial.tasks.llm.http.posting import describe_problem, receive
from perennial.tasks.llm.retry_policy import Received
from perennial.tasks.llm.server_batches.use import MOST_OUTPUT_BYTES

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

# The address of a request within its file: that of Chat Completions, whatever the base URL is.
CHAT: Final = "/v1/chat/completions"
_PAGE = 100


class LostFile(Exception):
    """Why a file could not be read to its end; `http_status` where the server refused it."""

    def __init__(self, why: str, http_status: int | None = None) -> None:
        super().__init__(why)
        self.http_status = http_status


class BatchApi:
    """The requests of the Batch API at one server."""

    def __init__(self, client: "AsyncOpenAI", policy: CallPolicy) -> None:
        self._client = client
        self._policy = policy

    @property
    def max_line_bytes(self) -> int:
        """How many bytes a line of a file may have."""
        return self._policy.max_reply_bytes

    async def upload(self, content: bytes) -> Received:
        """Upload a file of requests."""

        async def send() -> "httpx2.Response":
            file = ("requests.jsonl", content, "application/jsonl")
            answer = await self._client.files.with_raw_response.create(file=file, purpose="batch")
            return answer.http_response

        return await receive(send, self._policy)

    async def create(self, file_id: str, digest: str) -> Received:
        """Create a batch of an uploaded file; the digest of that is kept with it, for people."""

        async def send() -> "httpx2.Response":
            answer = await self._client.batches.with_raw_response.create(
                completion_window="24h",
                endpoint=CHAT,
                input_file_id=file_id,
                metadata={"perennial_input": digest},
            )
            return answer.http_response

        return await receive(send, self._policy)

    async def retrieve(self, batch_id: str) -> Received:
        """Look at a batch."""

        async def send() -> "httpx2.Response":
            return (await self._client.batches.with_raw_response.retrieve(batch_id)).http_response

        return await receive(send, self._policy)

    async def list_batches(self, after: str | None = None, limit: int = _PAGE) -> Received:
        """List the batches of the account, the newest first."""

        async def send() -> "httpx2.Response":
            import httpx2

            params: dict[str, Any] = {"limit": limit} | ({"after": after} if after else {})
            return await self._client.get("/batches", cast_to=httpx2.Response, options={"params": params})

        return await receive(send, self._policy)

    async def lines(self, file_id: str) -> AsyncIterator[tuple[bytes, bool]]:
        """Yield the lines of a file as `read_bounded_lines` does; raise LostFile, or what that raises."""
        import aiohttp
        import httpx2
        import openai

        from perennial.tasks.llm.http.bounded_lines import read_bounded_lines

        try:
            async with self._client.files.with_streaming_response.content(file_id) as answer:
                lines = read_bounded_lines(answer.http_response, self.max_line_bytes, MOST_OUTPUT_BYTES)
                async for line in lines:
                    yield line
        except openai.APIStatusError as error:
            raise LostFile(f"HTTP {error.status_code}", error.status_code) from None
        except (openai.APIConnectionError, httpx2.HTTPError, aiohttp.ClientError, OSError) as error:
            raise LostFile(describe_problem(error, self._policy)) from None
