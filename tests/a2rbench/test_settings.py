"""A2RBench's settings: sizes, authors and the models of their roles."""

import pytest

from perennial.schemas.a2rbench.settings import A2RBenchSettings
from perennial.schemas.a2rbench.things import DOMAINS, TEMPERATURES
from perennial.schemas.errors import InvalidOption
from perennial.schemas.settings import load_settings


def test_the_papers_size_gives_way_to_flags() -> None:
    settings = A2RBenchSettings(size="paper", seeds=2, remapping=False).fill_size(["seeds"])
    assert (settings.seeds, settings.variations, settings.remapping) == (2, 9, True)
    assert settings.temperature == 1e-7


def test_each_role_is_asked_at_its_own_temperature() -> None:
    plan = A2RBenchSettings(author=["catalogue", "m-a", "m-b"], expander="m-x").authoring()
    assert [plan.author_of(number) for number in range(4)] == ["catalogue", "m-a", "m-b", "catalogue"]
    # Without a judge of its own the first author judges.
    assert (plan.judge, plan.expander) == ("m-a", "m-x")
    assert {role: sorted(plan.params[role]) for role in plan.params} == {
        "designer": ["m-a", "m-b"],
        "architect": ["m-a", "m-b"],
        "judge": ["m-a"],
        "expander": ["m-x"],
    }
    for role, temperature in TEMPERATURES.items():
        assert {params["temperature"] for params in plan.params[role].values()} == {temperature}


@pytest.mark.parametrize("role", ["judge", "expander"])
def test_a_role_without_a_model_that_writes_rules_is_refused(role: str) -> None:
    with pytest.raises(InvalidOption, match=f"--{role} m: no model writes rules: name one with --author"):
        A2RBenchSettings(**{role: "m"}).authoring()


@pytest.mark.parametrize(
    ("setting", "value", "words"), [("seeds", 0, "at least 1"), ("variations", 10, "at most 9")]
)
def test_sizes_have_bounds(setting: str, value: int, words: str) -> None:
    with pytest.raises(InvalidOption, match=f"--{setting} {value}: expected {words}"):
        load_settings({"benchmark": "a2rbench", setting: value})


def test_the_size_of_table_8_has_108_items() -> None:
    settings = A2RBenchSettings(size="human").fill_size([])
    seeds = settings.seeds * len(DOMAINS)
    assert (settings.variations, settings.remapping, seeds + seeds // 2) == (0, True, 108)
