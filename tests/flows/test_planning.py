"""What a refresh refuses before any work begins: one domain that is given twice."""

import json
from pathlib import Path

import pytest

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.flows.refresh.plan import prepare_refresh
from perennial.schemas.errors import InvalidOption
from perennial.schemas.kumo.things import SeedConfig
from perennial.schemas.settings import load_settings
from perennial.warehouse.store.store import Store

NAME = "mineral_identification"


def write(path: Path, **changes: object) -> str:
    """Write the bundled domain with changes, and return the file's name."""
    path.write_text(json.dumps({**load_bundled(NAME).as_json(), **changes}), encoding="utf-8")
    return str(path)


def prepare_domains(folder: Path, *domains: str) -> list[SeedConfig]:
    settings = load_settings(
        {"root": str(folder / "root"), "domains": list(domains), "settings": "easy", "instances": 2}
    )
    return [domain.config for domain in prepare_refresh(settings, Store(settings.root)).part.inputs]


def test_the_same_content_under_two_names_is_refused_with_both_files(tmp_path: Path) -> None:
    bundled = load_bundled(NAME).as_json()
    first = write(tmp_path / "first.json")
    other = write(tmp_path / "other.json", name="Stones", goal="Name the stone.", truth_notes={})
    turned = write(tmp_path / "turned.json", name="Turned", truths=list(bundled["truths"])[::-1])  # type: ignore[call-overload]
    for one, two in ((first, other), (NAME, other), (other, turned)):
        with pytest.raises(InvalidOption, match=r"are one domain, .*drop one of them") as refusal:
            prepare_domains(tmp_path, one, two)
        assert repr(one) in str(refusal.value)
        assert repr(two) in str(refusal.value)
        assert "\n" not in str(refusal.value)


def test_one_domain_in_two_files_is_refused_with_both_files(tmp_path: Path) -> None:
    first, second = write(tmp_path / "first.json"), write(tmp_path / "second.json", truth_noun="stone")
    with pytest.raises(InvalidOption, match=r"'.*/first\.json' and '.*/second\.json' are one domain"):
        prepare_domains(tmp_path, first, second)


def test_a_file_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    first = write(tmp_path / "first.json")
    assert [config.name for config in prepare_domains(tmp_path, first, first)] == ["Mineral Identification"]


def test_a_changed_domain_under_another_name_is_another_one(tmp_path: Path) -> None:
    bundled = load_bundled(NAME).as_json()
    fewer = write(
        tmp_path / "fewer.json",
        name="Fewer",
        actions=list(bundled["actions"])[:-1],  # type: ignore[call-overload]
        outcomes=list(bundled["outcomes"])[:-1],
    )  # type: ignore[call-overload]
    assert len(prepare_domains(tmp_path, NAME, fewer)) == 2


def test_categories_without_an_author_are_refused(tmp_path: Path) -> None:
    settings = load_settings({"categories": "Music", "root": str(tmp_path)})
    with pytest.raises(InvalidOption, match=r"--categories Music needs a model .* --author"):
        prepare_refresh(settings, Store(str(tmp_path)))


@pytest.mark.parametrize(
    ("named", "players"),
    [
        (None, ("algorithm-3", "optimum", "greedy", "random", "reader", "guesser")),
        ("guesser,greedy", ("guesser", "greedy")),
    ],
)
def test_the_guesser_plays_only_where_it_is_named(
    tmp_path: Path, named: str | None, players: tuple[str, ...]
) -> None:
    given = {"domains": "mineral_identification", "instances": 2, "root": str(tmp_path), "players": named}
    prepared = prepare_refresh(load_settings(given), Store(str(tmp_path)))
    assert prepared.plan.evaluation.players == players
