"""A large sample comes in chunks, and is the one that a single request gives."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from typer.testing import CliRunner

from perennial.flows.cli.app import app
from perennial.flows.kumo.cli import sample as sample_stream
from perennial.flows.kumo.cli.sample import SampleStream
from perennial.flows.kumo.planning.domain_choice import choose_domain
from perennial.schemas.errors import InstancesExhausted, InvalidOption
from perennial.schemas.kumo.things import AS_PUBLISHED, BALANCED, SAMPLERS, Setting
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.warehouse.editions.issued_ids import IdSet
from perennial.warehouse.kumo.bundled_domains import bundled_domains
from tests.flows.test_chunks import COINS


@pytest.mark.parametrize("chunk", [1, 7, 25, 1_000])
def test_it_is_the_sample_of_one_request(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(sample_stream, "CHUNK", chunk)
    encoded = encode_config(choose_domain("mineral_identification")[0])
    request = SamplingRequest(Setting(4, 6), 50, 3)
    issued = IdSet()
    issued.update(sample_instances(encoded, SamplingRequest(Setting(4, 6), 10, 3)).ids)
    whole = sample_instances(encoded, request, known_ids=issued)
    seen: list[int] = []
    stream = SampleStream(encoded, request, issued, 1, seen.append)
    assert tuple(stream) == whole.instances
    assert (stream.yielded, stream.shortfall) == (50, None)
    assert dict(stream.counts) == asdict(whole.counts)
    assert seen[-1] == 50


@pytest.mark.parametrize("name", bundled_domains())
def test_lines_are_the_json_of_the_instances(name: str) -> None:
    encoded = encode_config(choose_domain(name)[0])
    request = SamplingRequest(Setting(4, 6), 40, 3, sampler=BALANCED)
    lines = SampleStream(encoded, request, IdSet(), 1, lambda _: None, as_lines=True)
    instances = sample_instances(encoded, request).instances
    assert [*lines] == [json.dumps(instance.as_json(), ensure_ascii=False) for instance in instances]


@pytest.mark.parametrize("chunk", [1, 5, 1_000])
def test_it_ends_where_instances_run_out(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(sample_stream, "CHUNK", chunk)
    encoded = encode_config(COINS)
    request = SamplingRequest(Setting(2, 1), 100, 0)
    whole = sample_instances(encoded, request)
    stream = SampleStream(encoded, request, IdSet(), 1, lambda _: None)
    assert tuple(stream) == whole.instances
    assert isinstance(stream.shortfall, InstancesExhausted)
    assert str(stream.shortfall) == str(whole.shortfall)


def test_a_sample_of_a_sparse_domain_is_that_of_its_file(tmp_path: Path) -> None:
    masked, size = tmp_path / "masked.json", ["--truths", "4", "--actions", "6", "--count", "5"]
    name, sparse, root = "mineral_identification", ["--sparse", "8,0.1"], ["--root", str(tmp_path)]
    made = ["domains", "sparse", name, *sparse, "--out", str(masked), *root]
    assert CliRunner().invoke(app, made).exit_code == 0
    drawn = {}
    for key, config in (("option", [name, *sparse]), ("file", [str(masked)])):
        out = tmp_path / f"{key}.jsonl"
        done = CliRunner().invoke(
            app, ["domains", "sample", "--config", *config, *size, "--out", str(out), *root]
        )
        assert done.exit_code == 0, done.output
        drawn[key] = out.read_bytes()
    assert drawn["option"] == drawn["file"]
    refused = ["domains", "sample", "--config", name, "--sparse", "mixed", *size, "--out", str(masked), *root]
    assert isinstance(CliRunner().invoke(app, refused).exception, InvalidOption)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_paper_s_sampler_prints_what_a_guess_without_a_test_reaches(sampler: str, tmp_path: Path) -> None:
    size = ["--truths", "4", "--actions", "6", "--count", "300", "--sampler", sampler]
    options = [
        "domains",
        "sample",
        "--config",
        "mineral_identification",
        *size,
        "--out",
        str(tmp_path / "easy.jsonl"),
    ]
    options += ["--root", str(tmp_path)]
    done = CliRunner().invoke(app, [*options, "--json"])
    assert done.exit_code == 0, done.output
    encoded = encode_config(choose_domain("mineral_identification")[0])
    request = SamplingRequest(Setting(4, 6, 1), 300, 0, require_test=True, sampler=sampler)
    hits = 0
    for instance in sample_instances(encoded, request).instances:
        struck = dict.fromkeys(instance.truths, 0)
        for outcome in encoded.config.outcomes:
            for state in outcome.states if outcome.action in instance.actions else ():
                for truth in set(state.rules_out) & set(struck):
                    struck[truth] += 1
        hits += min(struck, key=struck.__getitem__) in instance.valid_truths
    rate = json.loads(done.stdout)["guess_rate"]
    said = CliRunner().invoke(app, options).stderr.replace("\n", " ")
    told = f"right in {hits / 300:.3f} of 300 instances (chance 0.250)"
    if sampler == AS_PUBLISHED:
        assert rate == hits / 300 > 0.3
        assert told in said
    else:
        assert rate is None
        assert "without a test" not in said
