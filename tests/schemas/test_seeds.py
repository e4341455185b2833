"""Seeds and their commitments, by independent computation."""

import hashlib
from uuid import UUID

import pytest

from perennial.schemas.disclosure import canary_of, commitment_of, draw_seed, is_public
from perennial.schemas.errors import InvalidOption
from perennial.schemas.plan import EditionPlan
from perennial.schemas.settings import load_settings


def test_a_drawn_seed_has_256_bits_and_no_two_are_equal() -> None:
    drawn = [draw_seed() for _ in range(200)]
    assert len(set(drawn)) == len(drawn)
    # Each of these fails once in 2**200 times for a true source.
    assert max(drawn).bit_length() == 256
    assert not any(map(is_public, drawn))
    seen_set = seen_clear = 0
    for seed in drawn:
        seen_set |= seed
        seen_clear |= ~seed & (2**256 - 1)
    assert seen_set == seen_clear == 2**256 - 1


def test_a_commitment_is_the_sha_256_of_the_decimal_digits() -> None:
    assert commitment_of(0) == "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9"  # printf 0
    seed = draw_seed()
    assert commitment_of(seed) == hashlib.sha256(f"{seed:d}".encode()).hexdigest()


def test_a_plan_holds_a_given_seed_or_a_commitment_and_what_is_public_of_either() -> None:
    given = EditionPlan("e", "kumo", {}, 7, (), "test")
    assert (given.seed_commitment, given.public_seed) == (commitment_of(7), 7)
    assert given.freshness == "replayed, not fresh"
    seed = draw_seed()
    fresh = EditionPlan("e", "kumo", {}, None, (), "test", seed_commitment=commitment_of(seed), is_fresh=True)
    assert fresh.freshness == "fresh"
    assert EditionPlan.from_json(fresh.as_json()) == fresh
    assert str(seed) not in str(fresh.as_json())
    assert 0 <= fresh.public_seed < 2**63
    assert UUID(fresh.canary) != UUID(given.canary)
    assert fresh.canary == canary_of(commitment_of(seed))


@pytest.mark.parametrize("seed", [2**256, 2**300])
def test_a_seed_of_more_bits_is_refused(seed: int) -> None:
    with pytest.raises(InvalidOption, match="at most 256 bits"):
        load_settings({"seed": seed})


def test_no_seed_and_a_revealed_one_are_settings() -> None:
    assert load_settings({}).seed is None
    assert load_settings({"seed": str(2**255)}).seed == 2**255
