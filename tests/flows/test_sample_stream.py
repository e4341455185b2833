"""A large sample comes in chunks, and is the one that a single request gives."""

from dataclasses import asdict

import pytest

from flows.kumo.cli import sample_stream
from flows.kumo.cli.sample_stream import SampleStream
from flows.kumo.planning.domain_choice import choose_domain
from schemas.errors import InstancesExhausted
from schemas.kumo.things import Setting
from tasks.kumo.encoding import encode_config
from tasks.kumo.sampling import SamplingRequest, sample_instances
from tests.flows.test_chunks import COINS
from warehouse.editions.id_set import IdSet


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
    assert (stream.found, stream.shortfall) == (50, None)
    assert dict(stream.counts) == asdict(whole.counts)
    assert seen[-1] == 50


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
