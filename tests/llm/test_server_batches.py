"""The client of batches: what it sends, and what it makes of whatever a server says."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.errors import EndpointFailed, LimitReached
from perennial.schemas.model_calls import Reply
from perennial.tasks.llm.server_batches.forms import ServerBatch, read_form, read_line
from tests.llm.batch_double import PACE, Asked, BatchDouble, MemoryBatches, ask_all, line, requests
from tests.llm.http_double import KEY, MemoryLedger

ASKED = requests(5)


def statuses(replies: list[Reply | BaseException]) -> Counter[str]:
    return Counter(reply.status for reply in replies if isinstance(reply, Reply))


def test_a_file_has_a_line_a_call_with_its_id_and_what_a_single_call_sends() -> None:
    server = BatchDouble(looks=("validating", "in_progress", "finalizing", "completed"))
    told: list[str] = []
    replies = ask_all(server, ASKED, told=told)
    assert statuses(replies) == {"ok": 5}
    assert {reply.batch_id for reply in replies if isinstance(reply, Reply)} == {"batch_1"}
    (sent,) = server.uploads
    expected = [
        {
            "custom_id": one.call_id,
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": {"model": "m", "messages": list(one.messages), "temperature": 0.5},
        }
        for one in sorted(ASKED, key=lambda one: one.call_id)
    ]
    assert sent == expected
    (created,) = server.created
    assert (created["input_file_id"], created["completion_window"]) == ("file-1", "24h")
    assert len(created["metadata"]["perennial_input"]) == 64
    assert {one.headers["Authorization"] for one in server.requests} == {f"Bearer {KEY}"}
    ends = [text.rpartition(": ")[2] for text in told]
    assert ends == ["validating, 0 done", "in_progress, 0 done", "finalizing, 0 done", "completed, 0 done"]
    assert told[0].startswith("batch batch_1 of 5 requests at 127.0.0.1:")


@pytest.mark.parametrize("limit", [{"most_requests": 2}, {"most_bytes": 500}])
def test_a_batch_is_no_larger_than_the_limits(limit: dict[str, int]) -> None:
    server = BatchDouble(output=lambda asked: "".join(f"{line(one)}\n" for one in asked))
    server.output = lambda _asked: "".join(f"{line(one)}\n" for sent in server.uploads for one in sent)
    assert statuses(ask_all(server, ASKED, **limit)) == {"ok": 5}
    sizes = [len(sent) for sent in server.uploads]
    assert sum(sizes) == 5
    assert max(sizes) == 2
    for sent in server.uploads:
        text = "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in sent)
        assert len(text) <= limit.get("most_bytes", len(text))


@pytest.mark.parametrize(
    ("status", "said"), [(401, "may not be read with this key"), (404, "cannot be read")]
)
def test_a_batch_that_cannot_be_looked_at_stays_in_the_ledger(status: int, said: str) -> None:
    ledger = MemoryBatches(MemoryLedger())
    server = BatchDouble(looks=(status,))
    for raised in ask_all(server, ASKED, ledger):
        assert isinstance(raised, EndpointFailed)
        assert said in str(raised)
        assert "batch batch_1 of 5 requests" in str(raised)
        assert KEY not in str(raised)
    assert ledger.replies.stored == []
    assert statuses(ask_all(replace(server, looks=("completed",)), ASKED, ledger)) == {"ok": 5}
    assert len(server.uploads) == len(server.created) == 1


@pytest.mark.slow
def test_looks_that_fail_are_repeated_and_then_given_up_without_a_reply() -> None:
    garbled = {"id": "another", "status": "completed"}
    fine = BatchDouble(looks=(503, 500, "completed"))
    assert statuses(ask_all(fine, ASKED)) == {"ok": 5}
    ledger = MemoryBatches(MemoryLedger())
    for looks in ((503,), (garbled,), ({"id": "batch_1", "status": ["x"]},)):
        for raised in ask_all(BatchDouble(looks=looks), ASKED, ledger):
            assert isinstance(raised, EndpointFailed)
            assert "could not be read 3 times in a row" in str(raised)
    assert ledger.replies.stored == []
    assert len(ledger.kept) == 1


def test_a_batch_whose_id_was_not_stored_is_found_by_its_input_file() -> None:
    for listed, uploads in (
        ([{"id": "x", "input_file_id": "file-0"}, {"id": "batch_1", "input_file_id": "file-9"}], 0),
        ([{"id": "x"}, {"id": "y", "input_file_id": None}], 1),
        ([], 1),
    ):
        ledger = MemoryBatches(MemoryLedger())
        ledger.begin_batch("m", "", "file-9", dict.fromkeys(one.call_id for one in ASKED))
        server = BatchDouble(listed=listed)
        asked = [{"custom_id": one.call_id} for one in ASKED]
        server.output = lambda _asked, asked=asked: "".join(f"{line(one)}\n" for one in asked)
        if not uploads:
            server.uploads.append([])
        assert statuses(ask_all(server, ASKED, ledger)) == {"ok": 5}
        assert len(server.created) == uploads


def test_a_call_that_the_resumed_batch_does_not_have_goes_into_another_one() -> None:
    ledger = MemoryBatches(MemoryLedger())
    stored = ledger.begin_batch("m", "", "file-9", dict.fromkeys(one.call_id for one in ASKED[:3]))
    ledger.keep_batch_id(stored, "batch_1")
    server = BatchDouble()
    ids = [{"custom_id": one.call_id} for one in ASKED]
    server.uploads.append([])
    server.output = lambda _asked: "".join(f"{line(one)}\n" for one in ids)
    assert statuses(ask_all(server, ASKED, ledger)) == {"ok": 5}
    assert [len(sent) for sent in server.uploads] == [0, 2]


def _spoil(asked: Asked, text: str) -> str:
    return "".join(f"{line(one)}\n" for one in asked[1:]) + text


@pytest.mark.parametrize(
    ("first", "status", "said"),
    [
        ('{{"custom_id": "{0}", "response": "x"}}', "invalid_body", "no chat completion"),
        (
            '{{"custom_id": "{0}", "response": {{"status_code": 200, "body": [[',
            "invalid_body",
            "no JSON object",
        ),
        ('{{"custom_id": "{0}", "response": {{"status_code": 200}}}}', "invalid_body", "no JSON object"),
        ('{{"custom_id": "{0}", "deep": ' + "[" * 60_000, "invalid_body", "nested too deeply"),
        ('{{"custom_id": "{0}"}}', "unavailable", "gave no answer to the call: no reason given"),
        ('{{"custom_id": "{0}", "error": {{"message": "expired"}}}}', "unavailable", "the call: expired"),
        (
            '{{"custom_id": "{0}", "response": {{"status_code": 400, "body": "no"}}}}',
            "rejected",
            "HTTP 400: no",
        ),
        ('{{"custom_id": "{0}", "response": {{"status_code": -7, "body": 1}}}}', "rejected", "HTTP -7"),
        ("", "unavailable", "has no line for the call"),
        ("\n\n\x00\xff", "unavailable", "has no line for the call"),
    ],
)
def test_a_line_is_read_as_a_response_would_be(first: str, status: str, said: str) -> None:
    server = BatchDouble(output=lambda asked: _spoil(asked, first.format(asked[0]["custom_id"])))
    replies = ask_all(server, ASKED)
    counts = statuses(replies)
    assert counts["ok"] == 4
    (failed,) = (reply for reply in replies if isinstance(reply, Reply) and not reply.answered)
    assert failed.status == status
    assert failed.error
    assert said in failed.error
    # What may pass the next time was asked again, by itself.
    retried = status != "rejected" and "deep" not in first
    assert [len(sent) for sent in server.uploads] == ([5, 1] if retried else [5])


def test_a_key_in_a_batch_is_hidden() -> None:
    echoed = json.dumps({"error": {"message": f"bad key {KEY}"}})
    body = {"status_code": 400, "body": json.loads(echoed)}
    server = BatchDouble(output=lambda asked: "".join(f"{line(one, response=body)}\n" for one in asked))
    (reply,) = ask_all(server, ASKED[:1])
    assert isinstance(reply, Reply)
    assert KEY not in f"{reply.raw} {reply.error}"
    (raised,) = ask_all(BatchDouble(batch_id=f"batch-{KEY}"), ASKED[:1])
    assert KEY not in str(raised)


def test_a_long_output_is_not_kept_in_memory_and_the_rest_of_it_is_a_failed_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("perennial.tasks.llm.server_batches.use.MOST_OUTPUT_BYTES", 20_000)
    server = BatchDouble(output=lambda asked: f"{line(asked[0])}\n" + f"{' ' * 9_000}\n" * 5)
    replies = ask_all(server, ASKED)
    assert statuses(replies) == {"ok": 1, "invalid_body": 4}
    errors = {reply.error for reply in replies if isinstance(reply, Reply) and reply.error}
    (error,) = errors
    assert "of batch batch_1 of 5 requests at" in error
    assert len(server.uploads) == 1


def test_a_line_beyond_the_limit_of_a_reply_is_a_failed_call_and_the_next_ones_are_read() -> None:
    server = BatchDouble(output=lambda asked: _spoil(asked, line(asked[0], response="x" * 3_000)))
    replies = ask_all(server, ASKED, max_reply_bytes=1_000)
    assert statuses(replies) == {"ok": 4, "invalid_body": 1}
    (error,) = (reply.error for reply in replies if isinstance(reply, Reply) and reply.error)
    assert error
    assert "longer than 0.001 MB, the limit that max_reply_mb (--max-reply-mb) sets" in error


BATCH = ServerBatch(id="batch_1", status="completed")


@given(st.one_of(st.binary(max_size=300), st.text(max_size=300).map(str.encode)), st.booleans())
def test_no_line_breaks_the_reader(text: bytes, is_cut: bool) -> None:
    assert read_line(text, is_cut, 100, BATCH).received.batch_id == "batch_1"


_JSON: Any = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["id", "status", "custom_id", "response", "error", "data", "body"]),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(_JSON)
def test_no_answer_breaks_the_forms(value: Any) -> None:
    text = json.dumps(value)
    batch = read_form(ServerBatch, text)
    assert batch is None or (batch.done >= 0 and batch.seconds >= 0 and batch.describe_problems())
    read_line(text.encode(), False, 100, BATCH)


def test_what_is_only_shown_may_have_any_form() -> None:
    said = {"id": "batch_1", "status": "completed", "output_file_id": "out", "error_file_id": ""}
    odd = {
        "created_at": "now",
        "request_counts": {"completed": None},
        "errors": "none",
        "completed_at": 1e400,
    }
    assert statuses(ask_all(BatchDouble(looks=(said | odd,)), ASKED)) == {"ok": 5}
    failed = {"id": "batch_1", "status": "failed", "errors": {"data": ["x", {"message": "too long"}, {}]}}
    (reply,) = ask_all(BatchDouble(looks=(failed,)), ASKED[:1])
    assert isinstance(reply, Reply)
    assert reply.error == "HTTP 400: batch batch_1 failed: too long; no reason given"


HOSTILE_IDS: list[Any] = [
    *("../../admin", "..", ".", "a/b", "a?b=1", "a#b", "a%2fb", "a b", "a\n", "a\x00", "\u202ea", "\u0663"),
    *("", None, 7, 1e400, True, ["a"], {"id": "a"}, "x" * 201, "x" * 10_000_000),
]
SHOWN = [repr(one)[:20] for one in HOSTILE_IDS]


@pytest.mark.parametrize("hostile", HOSTILE_IDS, ids=SHOWN)
@pytest.mark.slow
def test_no_id_that_a_server_makes_up_comes_into_a_path(hostile: Any) -> None:
    good = {"id": "batch_1", "status": "completed", "output_file_id": "out"}
    servers = {
        "file": BatchDouble(file_id=hostile),
        "batch": BatchDouble(batch_id=hostile),
        "looked at": BatchDouble(looks=(good | {"id": hostile},)),
        "output": BatchDouble(looks=(good | {"output_file_id": hostile},)),
        "errors": BatchDouble(looks=(good | {"error_file_id": hostile},)),
    }
    for place, server in servers.items():
        for one in ask_all(server, ASKED[:1]):
            # No file there is said by null, and by "" at Azure.
            is_none = place in ("output", "errors") and hostile in ("", None)
            assert isinstance(one, Reply if place in ("file", "batch") or is_none else EndpointFailed)
            assert isinstance(one, EndpointFailed) or one.answered == (place == "errors")
            assert len(str(one if isinstance(one, EndpointFailed) else one.error)) < 700
        expected = {"/v1/files", "/v1/batches", "/v1/batches/batch_1", "/v1/files/out/content", "/v1/models"}
        assert {request.path for request in server.requests} <= expected


def test_a_hostile_id_in_the_list_hides_no_other_batch() -> None:
    ledger = MemoryBatches(MemoryLedger())
    ledger.begin_batch("m", "", "file-9", dict.fromkeys(one.call_id for one in ASKED))
    listed = [{"id": hostile, "input_file_id": "file-9"} for hostile in HOSTILE_IDS[:-1]]
    server = BatchDouble(listed=[*listed, 7, None, {"id": "batch_1", "input_file_id": "file-9"}])
    ids = [{"custom_id": one.call_id} for one in ASKED]
    server.output = lambda _asked: "".join(f"{line(one)}\n" for one in ids)
    server.uploads.append([])
    assert statuses(ask_all(server, ASKED, ledger)) == {"ok": 5}
    assert server.created == []


def test_a_call_in_a_batch_counts_once_and_a_resumed_one_not_again() -> None:
    """Killed while the batch waits: with the limit spent, its answers are still taken."""
    ledger = MemoryBatches(MemoryLedger())
    limits = {"max_calls": 5}
    waiting = BatchDouble(looks=("in_progress",))
    for raised in ask_all(waiting, ASKED, ledger, pace=replace(PACE, bound_s=0.05), **limits):
        assert isinstance(raised, EndpointFailed)
    spent = ledger.replies.sum_spending()
    assert spent.requests == 5
    server = replace(waiting, looks=("completed",))
    more = [*ASKED, *requests(8)[5:]]
    ended = ask_all(server, more, ledger, spent=spent, **limits)
    assert statuses(ended) == {"ok": 5}
    assert sum(isinstance(one, LimitReached) for one in ended) == 3
    assert ledger.replies.sum_spending().requests == 5
    assert len(server.created) == 1


def test_calls_in_batches_that_fail_count_at_each_submission() -> None:
    ledger = MemoryBatches(MemoryLedger())
    server = BatchDouble(output=lambda _asked: "")
    ended = ask_all(server, requests(20), ledger, max_calls=7, max_attempts=3)
    assert sum(len(sent) for sent in server.uploads) == 7
    assert ledger.replies.sum_spending().requests == 7
    assert sum(isinstance(one, LimitReached) for one in ended) == 20


@pytest.mark.slow
def test_what_never_became_a_batch_counts_for_nothing() -> None:
    for server in (BatchDouble(refuses={"/v1/files": 500}), BatchDouble(refuses={"/v1/batches": 400})):
        ledger = MemoryBatches(MemoryLedger())
        (reply,) = ask_all(server, ASKED[:1], ledger, max_calls=1)
        assert isinstance(reply, Reply)
        assert not reply.answered
        assert ledger.replies.sum_spending().requests == 0
    # The server may have made it: it is looked for, and counts.
    ledger = MemoryBatches(MemoryLedger())
    lost = BatchDouble(refuses={"/v1/batches": 500}, listed=[{"id": "batch_1", "input_file_id": "file-1"}])
    (reply,) = ask_all(lost, ASKED[:1], ledger, max_calls=1)
    assert isinstance(reply, Reply)
    assert reply.answered
    assert ledger.replies.sum_spending().requests == 1


def test_pauses_grow_and_end() -> None:
    server = BatchDouble(looks=("in_progress",))
    (raised,) = ask_all(server, ASKED[:1], pace=replace(PACE, bound_s=0.1))
    assert isinstance(raised, EndpointFailed)
    assert "has not ended within" in str(raised)
