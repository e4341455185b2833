"""`perennial solve --sampler`: the optimum weighs by the prior of the sampler that drew the instances."""

import json
from pathlib import Path

import pytest

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.schemas.kumo.things import AS_PUBLISHED, BALANCED, Setting
from perennial.tasks.kumo.encoding import encode_config, encode_instance
from perennial.tasks.kumo.optimum import NODE_LIMIT
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.search.solve import solve_instances
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run, commands_on

DOMAIN = "mineral_identification"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return commands_on(Store(str(tmp_path)), monkeypatch, capsys)


def test_solve_weighs_by_the_prior_of_the_sampler(run: Run, tmp_path: Path) -> None:
    encoded = encode_config(load_bundled(DOMAIN))
    request = SamplingRequest(Setting.parse("easy"), 12, 7, require_test=True, sampler=BALANCED)
    drawn = sample_instances(encoded, request).instances
    lines = tmp_path / "easy.jsonl"
    lines.write_text("".join(json.dumps(one.as_json()) + "\n" for one in drawn), "utf-8")
    boards = [encode_instance(encoded, one) for one in drawn]
    found = {}
    for sampler, given in ((BALANCED, ()), (AS_PUBLISHED, ("--sampler", AS_PUBLISHED))):
        shown = run("solve", "--config", DOMAIN, "--instances", str(lines), "--json", *given)
        assert shown.code == 0, shown.err
        document = json.loads(shown.out)
        assert document["sampler"] == sampler
        found[sampler] = [one["promise_steps"] for one in document["instances"]]
        solved = solve_instances(boards, node_limit=NODE_LIMIT, is_balanced=sampler == BALANCED)
        expected = [one.optimum.steps for one in solved if one.optimum is not None]
        assert found[sampler] == pytest.approx(expected)
    assert found[BALANCED] != found[AS_PUBLISHED]


def test_an_unknown_sampler_is_refused_in_one_line(run: Run, tmp_path: Path) -> None:
    shown = run("solve", "--config", DOMAIN, "--instances", str(tmp_path / "x"), "--sampler", "odd")
    assert shown.code == 2
    assert "--sampler 'odd': expected balanced or kumo-2025" in shown.err
    assert len(shown.err.strip().splitlines()) == 1
