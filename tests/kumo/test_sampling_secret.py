"""What a published instance tells of others: nothing, where the seed is secret."""

import numpy as np

from perennial.schemas.ids import derive_seed
from perennial.schemas.kumo.things import Setting
from perennial.tasks.kumo.sampling.construct import CANDIDATE, draw
from perennial.tasks.kumo.sampling.draw import PURPOSE
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.sampling.tables import SamplingTables
from tests.kumo.test_sampling import WIDE

EASY = Setting(4, 6)
COUNT = 12
SECRET = 2**255 + 987_654_321


def ids_of(seed: int) -> list[str]:
    """Return the ids of the first instances that the seed draws."""
    return list(sample_instances(WIDE, SamplingRequest(EASY, COUNT, seed)).ids)


def drawn_with(state: int) -> list[str]:
    """Return what the 64 bits that one instance was drawn with give at each index."""
    tables = SamplingTables(WIDE)
    size = (EASY.n_truths, EASY.n_actions, EASY.n_valid)
    indices, attempts = np.arange(COUNT), np.zeros(COUNT, np.int64)
    forced = np.full((COUNT, EASY.n_actions), -1, np.int32)
    draws = draw(tables.kernel, size, True, np.full(COUNT, state, np.uint64), indices, attempts, forced)
    return [id_ for id_, status in zip(tables.ids(draws), draws.status, strict=True) if status == CANDIDATE]


def test_with_a_public_seed_one_instance_gives_all_others() -> None:
    assert len(set(drawn_with(derive_seed(7, PURPOSE, 0))) & set(ids_of(7))) > COUNT / 2


def test_with_a_secret_seed_one_instance_gives_no_other() -> None:
    purpose = f"{PURPOSE}/{WIDE.config.config_id}/{EASY.name}"
    known = {id_: place for place, id_ in enumerate(ids_of(SECRET))}
    own = 0
    for index in range(COUNT):
        found = {known[id_] for id_ in drawn_with(derive_seed(SECRET, purpose, index)) if id_ in known}
        assert found <= {index}
        own += len(found)
    assert own > COUNT / 2  # what each was drawn with is known here: the search finds itself


def test_secret_seeds_that_differ_in_one_bit_share_no_instance() -> None:
    assert ids_of(SECRET) == ids_of(SECRET)
    for bit in (0, 63, 64, 254):
        assert not set(ids_of(SECRET)) & set(ids_of(SECRET ^ 1 << bit)), bit


def test_settings_and_domains_of_a_secret_seed_are_drawn_apart() -> None:
    first, other = (
        sample_instances(WIDE, SamplingRequest(Setting(4, actions), COUNT, SECRET)).instances
        for actions in (6, 7)
    )
    assert not {instance.truths for instance in first} & {instance.truths for instance in other}
