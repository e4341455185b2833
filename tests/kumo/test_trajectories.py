"""Golden trajectories: the chat of an evaluation, of instances that no edition holds."""

import json
from pathlib import Path

import pytest

from perennial.flows.kumo.cli.trajectories import trajectories
from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.errors import InvalidOption
from perennial.schemas.kumo.things import NAMED_SETTINGS
from perennial.schemas.model_calls import ModelChoice
from perennial.tasks.kumo.books import rules_of
from perennial.tasks.kumo.encoding import encode_config, encode_instance
from perennial.tasks.kumo.game import SYMBOLIC, Board
from perennial.tasks.kumo.optimum import NODE_LIMIT
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.search.solve import solve_instances
from perennial.tasks.kumo.training import POLICIES, golden_trajectories
from perennial.tasks.play import ModelPlayer
from perennial.warehouse.editions import issued_ids
from perennial.warehouse.editions.issued_ids import IdSet
from tests.kumo.asking_models import make_reply, play_once, replies

DOMAIN = "music_identification"
MODEL = ModelPlayer(f"{SYMBOLIC}:m", ModelChoice("m", {}), SYMBOLIC)


@pytest.fixture(autouse=True)
def no_process_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perennial.flows.kumo.kernels.prepare_kernels", lambda: "ready")


def write(folder: Path, **options: object) -> list[dict[str, object]]:
    out = folder / "chats.jsonl"
    given = {"setting": "easy", "count": 6, "validation": 2, "policy": "algorithm-3", "seed": 0}
    (folder / "root").mkdir(exist_ok=True)
    trajectories(DOMAIN, out, **{**given, **options}, root=str(folder / "root"), as_json=True)  # type: ignore[arg-type]
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_chat_is_what_an_evaluation_shows_and_a_win(policy: str) -> None:
    encoded = encode_config(load_bundled(DOMAIN))
    for name, size in NAMED_SETTINGS.items():
        drawn = list(sample_instances(encoded, SamplingRequest(size, 3, 7, require_test=True)).instances)
        boards = [encode_instance(encoded, instance) for instance in drawn]
        solutions = solve_instances(boards, work_limit=400, node_limit=NODE_LIMIT)
        records = list(golden_trajectories(encoded, drawn, boards, solutions, name, policy))  # type: ignore[arg-type]
        assert len(records) == len(drawn)
        for record, instance, board, solution in zip(records, drawn, boards, solutions, strict=True):
            said = [m["content"] for m in record["messages"] if m["role"] == "assistant"]
            ask = replies(*map(make_reply, said))
            place = Board(encoded.config, instance, board, rules=rules_of(encoded, instance))
            episode = play_once(ask, MODEL, place)
            assert episode.result.status == "solved"
            assert [*ask.requests[-1].messages, {"role": "assistant", "content": said[-1]}] == record[
                "messages"
            ]
            optimum = solution.optimum
            assert optimum is not None
            assert record["tests"] == (
                solution.optimal_tests if record["policy"] == "algorithm-3" else len(optimum.actions)
            )


@pytest.mark.slow
def test_the_first_are_for_validation_and_nothing_tells_of_an_edition(tmp_path: Path) -> None:
    records = write(tmp_path, setting="easy,4x8")
    assert [r["split"] for r in records] == 2 * (["validation"] * 2 + ["train"] * 4)
    assert [r["setting"] for r in records] == ["easy"] * 6 + ["4x8"] * 6
    assert len({r["instance_id"] for r in records}) == 12
    assert "canary" not in (tmp_path / "chats.jsonl").read_text(encoding="utf-8")
    assert write(tmp_path, setting="easy,4x8") == records


@pytest.mark.slow
def test_instances_of_published_editions_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [str(record["instance_id"]) for record in write(tmp_path)]
    issued = IdSet()
    issued.update([identity.partition("_")[2] for identity in before[:3]])
    monkeypatch.setattr(issued_ids, "issued_instances", lambda *_: issued)
    after = {record["instance_id"] for record in write(tmp_path)}
    assert len(after) == 6
    assert not after & set(before[:3])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"policy": "greedy"}, "--policy greedy: expected algorithm-3 or optimum"),
        ({"validation": 6}, "--validation 6: with --count 6 none is left to train on"),
        ({"setting": "4x8v2"}, "such instances have one valid truth"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, options: dict[str, object], told: str) -> None:
    with pytest.raises(InvalidOption, match=told):
        write(tmp_path, **options)
    assert not (tmp_path / "chats.jsonl").exists()
