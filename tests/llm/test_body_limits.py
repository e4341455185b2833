"""Bodies without an end, bombs, and replies that are too much to be read: over HTTP, with memory measured."""

import asyncio
import gzip
import subprocess
import sys
import time
import zlib
from dataclasses import replace

import pytest

from tests.llm.http_double import Answer, MemoryLedger, against, ask, completion, double, ok
from tests.llm.http_double import request as asked

MB = 1_000_000
LIMIT = {"max_reply_bytes": MB}


def pack(decoded_bytes: int, wbits: int = 31) -> bytes:
    """Return so many spaces, compressed; `wbits` 31 for gzip, 15 for zlib, -15 for raw deflate."""
    packer = zlib.compressobj(1, wbits=wbits)
    return b"".join(packer.compress(b" " * MB) for _ in range(decoded_bytes // MB)) + packer.flush()


def encode(encoding: str, body: bytes, **more: object) -> Answer:
    return Answer(headers={"Content-Encoding": encoding}, data=body, **more)


HOSTILE = {
    "endless": Answer(data=b"[" * 65_536, repeats=10**6),
    "gzip bomb": encode("gzip", pack(64 * MB)),
    "deflate bomb": encode("deflate", pack(64 * MB, 15)),
    "raw deflate bomb": encode("deflate", pack(64 * MB, -15)),
    "gzip twice": encode("gzip, gzip", gzip.compress(pack(64 * MB))),
    "endless gzip of many members": encode("gzip", gzip.compress(b"{}") * 999, repeats=10**6),
    "endless gzip that decodes to nothing": encode("deflate", b"\0\0\0\xff\xff" * 9_999, repeats=10**6),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_body_beyond_the_limit_is_dropped_at_once_and_not_asked_for_again(name):
    start = time.monotonic()
    reply, server = ask(HOSTILE[name], **LIMIT, timeout_s=60)
    assert (reply.status, reply.attempts, len(server.seen)) == ("invalid_body", 1, 1)
    too_long = "the body is longer than 1 MB, the limit that max_reply_mb (--max-reply-mb) sets"
    assert reply.error in (too_long, "the body has 1 MB that decodes to nothing")
    assert reply.error == too_long or "many members" in name or "nothing" in name
    assert len(reply.raw or "") <= MB
    assert time.monotonic() - start < 30
    assert server.most_sent < 20 * MB


@pytest.mark.parametrize("name", ["endless", "gzip bomb"])
@pytest.mark.parametrize(("status", "expected"), [(400, "rejected"), (503, "unavailable")])
def test_the_body_of_an_error_is_bounded_and_its_status_still_decides(name, status, expected):
    reply, server = ask(replace(HOSTILE[name], status=status), max_attempts=2, timeout_s=60)
    assert reply.status == expected
    assert reply.error.startswith(f"HTTP {status}: ")
    assert len(server.seen) == (2 if expected == "unavailable" else 1)
    assert server.most_sent < 20 * MB


def test_a_body_that_decodes_to_nothing_is_dropped_though_the_limit_is_far():
    empty = HOSTILE["endless gzip that decodes to nothing"]
    reply, server = ask(empty, max_reply_bytes=30 * MB, timeout_s=60)
    assert reply.error == "the body has 1 MB that decodes to nothing"
    assert server.most_sent < 20 * MB


def test_a_body_that_is_just_within_the_limit_is_read_whatever_its_encoding():
    room = MB - len(completion("", pad=""))
    body = completion("", pad="x" * room).encode()
    assert len(body) == MB
    for answer in (Answer(data=body), encode("gzip", gzip.compress(body))):
        reply, _ = ask(answer, **LIMIT)
        assert reply.status == "empty"
    reply, _ = ask(Answer(data=body + b" "), **LIMIT)
    assert reply.status == "invalid_body"


@pytest.mark.slow
def test_the_time_out_holds_for_a_large_body_that_drips():
    drip = Answer(data=b" " * 400_000, repeats=10**6, pause=0.1)
    start = time.monotonic()
    reply, _ = ask(drip, timeout_s=0.6, max_attempts=1)
    assert time.monotonic() - start < 10
    assert (reply.status, "no whole response within 0.6 s" in reply.error) == ("unavailable", True)


def test_after_a_body_beyond_the_limit_the_client_still_asks():
    async def test(server, asker):
        replies = [await asker.ask(asked(repeat=n)) for n in range(3)]
        assert [reply.status for reply in replies] == ["invalid_body", "ok", "ok"]

    against(HOSTILE["gzip bomb"], ok(), test=test, **LIMIT)


# ---- bodies that can be received and not read


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (completion("hi")[:-1] + ', "deep": ' + "[" * 50_000 + "]" * 50_000 + "}", "nested too deeply"),
        ('{"error":' * 50_000 + "1" + "}" * 50_000, "nested too deeply"),
        (completion("hi")[:-1] + ', "many": [' + "[]," * 1_100_000 + "[]]}", "1,000,000 opening brackets"),
    ],
)
def test_a_body_that_cannot_be_read_is_kept_once_and_not_asked_for_again(body, words):
    ledger = MemoryLedger()
    reply, server = ask(Answer(body=body), ledger=ledger)
    assert (reply.status, reply.attempts, len(server.seen)) == ("invalid_body", 1, 1)
    assert words in reply.error
    assert len(reply.error) <= 300
    assert ledger.stored == [reply]


def test_a_number_of_any_length_does_not_hide_an_answer():
    body = completion("hi")[:-1] + ', "n": ' + "9" * 100_000 + "}"
    reply, server = ask(Answer(body=body))
    assert (reply.status, reply.content, len(server.seen)) == ("ok", "hi", 1)


@pytest.mark.parametrize("field", ["content", "reasoning", "parts"])
def test_a_text_that_no_model_writes_is_cut_and_kept_as_an_answer(field):
    long = "word " * 400_000
    body = {
        "content": completion(long),
        "reasoning": completion("hi", reasoning=long),
        "parts": completion([{"type": "text", "text": long}]),
    }[field]
    reply, server = ask(Answer(body=body))
    assert (reply.status, len(server.seen)) == ("ok" if field == "reasoning" else "truncated", 1)
    assert len(reply.reasoning or reply.content) == MB


@pytest.mark.slow
def test_many_think_tags_take_no_time():
    start = time.process_time()
    reply, _ = ask(ok("</think>" * 120_000 + "yes"))
    assert reply.content == "yes"
    assert time.process_time() - start < 5


# ---- memory

MEMORY = """
import asyncio, resource, sys
from tests.llm.http_double import client, request

async def main(url, limit, calls):
    async with client(url, max_reply_bytes=limit, concurrency=calls, max_attempts=2, timeout_s=300) as asker:
        asked = (asker.ask(request(repeat=n)) for n in range(calls))
        return await asyncio.gather(*asked, return_exceptions=True)

# Nothing of this process may take more than the machine has, should the limit not hold.
resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
replies = asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
statuses = sorted({str(getattr(reply, "status", type(reply).__name__)) for reply in replies})
# Not ru_maxrss: that begins with the memory of the process that started this one.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM:"))
print(",".join(statuses), int(peak.split()[1]) // 1000)
"""


def peak_of(answer: Answer, limit: int, calls: int) -> tuple[set[str], int]:
    """Return how calls of a process of their own ended, and the most memory that it took, in MB."""

    async def run() -> tuple[set[str], int]:
        async with double(answer) as server:
            child = await asyncio.create_subprocess_exec(
                sys.executable, "-c", MEMORY, server.url, str(limit), str(calls), stdout=subprocess.PIPE
            )
            said, _ = await child.communicate()
            statuses, peak = said.decode().split()
            return set(statuses.split(",")), int(peak)

    return asyncio.run(run())


# The breaker stops calls that did not begin when five of a model have failed in a row.
STOPPED = {"invalid_body", "EndpointFailed"}


@pytest.mark.slow
def test_memory_stays_under_half_a_gigabyte_with_20_bombs_in_flight():
    statuses, peak = peak_of(HOSTILE["endless"], 32 * MB, 20)
    assert statuses <= STOPPED
    assert peak < 500


@pytest.mark.slow
def test_memory_stays_under_a_gigabyte_with_10_replies_just_within_the_limit():
    wide = completion("\U0001f600" + "x" * (31 * MB), ensure_ascii=False).encode()
    assert 31 * MB < len(wide) < 32 * MB
    statuses, peak = peak_of(encode("gzip", gzip.compress(wide)), 32 * MB, 10)
    assert statuses == {"truncated"}
    assert peak < 1_000
