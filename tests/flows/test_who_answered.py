"""Who answered, and to which prompt: said by the check, the look-up, the leaderboard and a first score."""

from dataclasses import replace
from pathlib import Path

import pytest

from perennial.flows.editions.diagnosis import problem_lines
from perennial.flows.refresh.models import find_doubts
from perennial.schemas.model_calls import Reply
from perennial.tasks.llm.server_words import is_same_model
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run
from tests.flows.prefect_harness import Harness
from tests.llm.http_double import ask, ok, request, usage
from tests.server.options import ServerOptions
from tests.server.running import running_server


@pytest.mark.parametrize(
    ("asked", "served", "is_same"),
    [
        ("gpt-4.1-mini", "gpt-4.1-mini-2025-04-14", True),
        ("gpt-4.1-mini", "openai/GPT-4.1-mini", True),
        ("llama3.2", "llama3.2:latest", True),
        ("claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022", True),
        ("meta-llama/Llama-3.1-8B", "Llama-3.1-8B", True),
        ("SmolLM2", "/models/SmolLM2.Q4_K_M.gguf", True),
        ("gpt-4.1", "gpt-4.1-mini", False),
        ("gpt-4.1-mini", "gpt-4.1", False),
        ("gpt-4", "gpt-4o", False),
        ("llama3.2", "llama3.1", False),
        ("gpt-4.1-mini", "SmolLM2-135M-Instruct", False),
    ],
)
def test_names_of_one_model_differ_by_folder_date_and_format(asked: str, served: str, is_same: bool) -> None:
    assert is_same_model(asked, served) is is_same


ANSWER = Reply("", "ok", "Yes", finish_reason="stop", served_model="m", prompt_tokens=13, completion_tokens=1)


@pytest.mark.parametrize(
    ("changes", "listed", "note", "is_error"),
    [
        ({}, {"m"}, "", False),
        ({}, None, "", False),
        ({"served_model": "qwen"}, {"m", "qwen"}, "the reply is by 'qwen'", False),
        ({"served_model": "qwen"}, {"qwen"}, "does not list 'm' among its 1 model: qwen", True),
        ({"served_model": None}, {"qwen"}, "does not list 'm'", True),
        ({}, {"qwen"}, "does not list 'm'", False),
        ({"status": "empty", "content": ""}, {"m"}, "the reply is empty", True),
        ({"usage": "short"}, {"m"}, "counts 13 prompt tokens, fewer than the prompt can have", True),
        ({"finish_reason": "flurb"}, {"m"}, "finish_reason 'flurb' is not known", False),
    ],
)
def test_an_odd_answer_is_doubted(
    changes: dict[str, object], listed: set[str] | None, note: str, is_error: bool
) -> None:
    doubts = find_doubts(request(), replace(ANSWER, **changes), listed)
    assert note in "; ".join(doubts.notes)
    assert bool(doubts.notes) is bool(note)
    assert bool(doubts.error) is bool(doubts.remedy) is is_error


@pytest.mark.slow
def test_a_prompt_that_was_cut_is_seen_by_its_count() -> None:
    prompt = "The patient has a fever, and the doctor asks for a test. " * 150
    cut, _ = ask(ok(usage=usage(1024, 3)), asked=request(prompt))
    whole, _ = ask(ok(usage=usage(2_010, 3)), asked=request(prompt))
    chinese, _ = ask(ok(usage=usage(1024, 3)), asked=request("病人发烧医生要求检查血液" * 300))
    assert (cut.usage, whole.usage, chinese.usage) == ("short", "reported", "short")


def test_check_says_who_answered(monkeypatch: pytest.MonkeyPatch, give: Run, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    faults = {"other_model": 1.0}
    with running_server(ServerOptions(models=("m",), faults=faults, roles="tests.server.one_word")) as server:
        shown = give("models", "check", "m", "--base-url", server.url)
    assert shown.code == 0
    assert "note: the reply is by 'other-1', as the server says, and not by 'm'" in shown.out
    with running_server(
        ServerOptions(models=("m",), faults={"blank": 1.0}, roles="tests.server.one_word")
    ) as server:
        shown = give("models", "check", "m", "--base-url", server.url)
    assert shown.code == 6
    assert "failed  m at " in shown.out
    assert "the reply is empty" in shown.out


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("other_model", "calls were answered by 'other-1'"),
        pytest.param("new_word", "calls ended by 'flurb', which is not known", marks=pytest.mark.slow),
        pytest.param("cut_prompt", "fewer prompt tokens, as the server counts, than", marks=pytest.mark.slow),
        pytest.param("too_long", "did not fit the model's context", marks=pytest.mark.slow),
    ],
)
def test_a_first_score_and_the_leaderboard_say_it(
    fault: str, said: str, harness: Harness, tmp_path: Path
) -> None:
    with running_server(
        ServerOptions(models=("m",), faults={fault: 1.0}, max_transport_faults=1_000)
    ) as server:
        done = harness.perennial("try", "m", "--base-url", server.url, "--root", "data", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said_at_look_up = "note: model 'm' at " in done.stdout
    assert said_at_look_up is (fault != "cut_prompt")
    shown = done.stdout[done.stdout.index("m on kumo") :]
    assert max(map(len, shown.splitlines())) <= 80
    assert said in " ".join(shown.split())
    catalog = open_catalog(Store(str(tmp_path / "data")))
    (edition,) = catalog.query("SELECT edition FROM editions")[1][0]
    assert any(line.startswith("problem:   m: ") and said in line for line in problem_lines(catalog, edition))
