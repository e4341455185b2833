"""Worlds in an edition: drawn with its seed, never used twice; and what a refresh takes without options."""

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from rich.console import Console

from perennial.flows.editions.reproduce import reproduce_unit
from perennial.flows.kumo.edition import WORLDS, KumoEdition
from perennial.flows.refresh.plan import PreparedRefresh, prepare_refresh
from perennial.flows.refresh.print_plan import print_plans
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages.grow import grow
from perennial.flows.stages.workspace import Policies, Workspace, open_workspace
from perennial.schemas.errors import InvalidOption
from perennial.schemas.settings import load_settings
from perennial.tasks.kumo.worlds import MIXED, draw_world
from perennial.warehouse.kumo.bundled_domains import bundled_domains
from perennial.warehouse.kumo.rows import domain_row
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.flows.made_units import make_edition
from tests.flows.one_shot import query_rows
from tests.warehouse import tiny_edition

GIVEN = {"domains": ["chemical_analysis"], "players": ["m"]}
PAPERS = {**GIVEN, "protocol": "kumo-2025", "release": "."}
SMALL = {"settings": ["4x5"], "instances": 2, "players": ["algorithm-3"], "seed": 8}


def prepare(root: Path, **asked: object) -> PreparedRefresh:
    return prepare_refresh(
        load_settings({**SMALL, "root": str(root), **asked}), Store(str(root)), needs_key=False
    )


def grow_worlds(root: Path, **asked: object) -> Workspace:
    """Grow an edition up to its overlap and return its workspace."""
    settings = load_settings({**SMALL, "root": str(root), **asked})
    prepared = prepare_refresh(settings, Store(str(root)))
    Staging(Store(str(root)), prepared.plan.edition).write_plan(prepared.plan.growth)
    workspace = open_workspace(str(root), prepared.plan.edition, settings.seed)
    grow(workspace, Policies.read(settings, prepared.part.inputs), PlainStages())
    return workspace


def test_without_options_six_domains_take_turns_and_new_worlds_make_them_forty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prepared = prepare(tmp_path, instances=None)
    own = prepared.plan.growth.own
    assert (len(own["configs"]), own["domain_count"], own["worlds"]) == (6, 6, 34)
    assert (own["instances"], prepared.plan.evaluation.runs) == (5, 1)
    assert prepared.part.counts["instances"] == 40 * 5
    settings = load_settings({**SMALL, "root": str(tmp_path)})
    print_plans(Console(), Store(str(tmp_path)), [prepared], as_json=True, all_settings=[settings])
    shown = json.loads(capsys.readouterr().out)
    assert set(shown["turns"].values()) == {"used in no edition so far"}
    assert (shown["plan"]["worlds"], len(shown["domains"])) == (34, 6)


@pytest.mark.parametrize(
    ("asked", "domains", "worlds", "instances"),
    [
        ({"domains": ["chemical_analysis"]}, 1, 0, 50),
        ({"domains": ["chemical_analysis"], "worlds": 3}, 1, 3, 50),
        ({"worlds": 0}, 6, 0, 34),
        ({"domain_count": 5, "worlds": 1}, 5, 1, 34),
        ({"domain_count": 1, "instances": 3}, 1, 34, 3),
        ({"domain_count": 0, "worlds": 300}, 0, 300, 1),
    ],
)
def test_options_say_how_many_there_are_and_they_share_two_hundred_instances(
    tmp_path: Path, asked: dict[str, object], domains: int, worlds: int, instances: int
) -> None:
    prepared = prepare(tmp_path, **{"instances": None, **asked})
    own = prepared.plan.growth.own
    assert (len(prepared.part.inputs), own["worlds"], own["instances"]) == (domains, worlds, instances)
    assert ("worlds" in prepared.part.unused) == (worlds == 0)


def test_proposed_domains_replace_both(tmp_path: Path) -> None:
    author = {"author": "m", "base_url": "http://127.0.0.1:1/v1"}
    proposing = prepare(tmp_path, **author)
    own = proposing.plan.growth.own
    assert (own["configs"], own["worlds"], own["authoring"]["proposals"]) == ([], 0, 3)
    beside = prepare(tmp_path, **author, worlds=1, domain_count=2)
    assert (len(beside.part.inputs), beside.plan.growth.own["worlds"]) == (2, 1)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"domain_count": 0, "worlds": 0}, "leaves nothing to ask"),
        ({"settings": ["53x6"], "sampler": "kumo-2025"}, "a world has 52 truths and 32 actions at least"),
        ({"settings": ["4x33"], "domains": ["chemical_analysis"], "worlds": 1}, "or --worlds 0"),
        ({"domain_count": len(bundled_domains()) + 1}, "domains to take turns"),
        ({"counterfactual": True, "domain_count": 0, "worlds": 2}, "there are none"),
        ({**PAPERS, "counterfactual": True}, "no words for facts that are not true"),
        ({**GIVEN, "reliability": ["0.8"], "settings": ["hard"]}, "the best play is not computed for hard"),
        ({**GIVEN, "reliability": ["0.4"]}, "expected 1 .the outcomes themselves., or 0.5 to 0.99"),
        ({**PAPERS, "reliability": ["0.8"]}, "has no words for wrong reports"),
    ],
)
def test_what_cannot_be_is_refused_before_any_work(
    tmp_path: Path, asked: dict[str, object], said: str
) -> None:
    with pytest.raises(InvalidOption, match=said) as refusal:
        prepare(tmp_path, **asked)
    assert "\n" not in str(refusal.value)


@pytest.mark.slow
def test_domains_that_no_edition_has_used_come_first(tmp_path: Path) -> None:
    used = {domain.config.domain_id for domain in prepare(tmp_path, worlds=0).part.inputs}
    publish_domains(tmp_path, "kumo-a", prepare(tmp_path, worlds=0))
    following = {domain.config.domain_id: domain.turn for domain in prepare(tmp_path, worlds=0).part.inputs}
    unused = len(bundled_domains()) - len(used)
    assert len(set(following) - used) == min(6, unused)
    assert all(
        (turn == "used in no edition so far") == (domain_id not in used)
        for domain_id, turn in following.items()
    )


def publish_domains(root: Path, edition: str, prepared: PreparedRefresh, names: tuple[str, ...] = ()) -> None:
    """Publish a tiny edition that holds these domains, too, and worlds of these names."""
    tables = tiny_edition.tables()
    rows = [domain_row(domain.config, domain.source) for domain in prepared.part.inputs]
    rows += [{**rows[0], "domain_id": f"dom_{name}", "domain": name, "goal": ""} for name in names]
    first = tables["kumo_domains"]
    tables["kumo_domains"] = pa.concat_tables([first, pa.Table.from_pylist(rows, schema=first.schema)])
    made = datetime(2026, 1, 1, tzinfo=UTC)
    tiny_edition.publish(Store(str(root)), tiny_edition.plan(edition), tables, [], made)


@pytest.mark.slow
def test_an_edition_draws_its_worlds_with_its_seed(tmp_path: Path) -> None:
    secret = 2**255 + 19
    workspace = grow_worlds(tmp_path / "one", domains=["chemical_analysis"], worlds=2, seed=secret)
    edition = KumoEdition(workspace)
    rows = workspace.rows(WORLDS, "kumo_domains")
    drawn = [draw_world(secret, index, MIXED) for index in range(2)]
    assert [(row["domain"], row["source"], row["world_kind"], row["category"]) for row in rows] == [
        (world.config.name, "world", world.kind, "Synthetic") for world in drawn
    ]
    assert edition.configs[1:] == tuple(world.config.config_id for world in drawn)
    (cell,) = edition.cells
    drawn_of = Counter(row["config_id"] for row in edition.instance_rows(cell))
    assert drawn_of == dict.fromkeys(edition.configs, 2)
    (given,) = workspace.rows(next(b for b in batches(workspace) if b.stage == "domains"), "kumo_domains")
    assert (given["source"], given["world_kind"]) == ("catalog", None)
    # The plan, which everybody may read, says nothing of them.
    assert all(world.config.config_id not in json.dumps(workspace.growth.as_json()) for world in drawn)


def batches(workspace: Workspace) -> list:  # type: ignore[type-arg]
    from perennial.flows.kumo.stages import STAGES

    return [batch for stage in STAGES for batch in stage.batches(workspace)]


@pytest.mark.slow
def test_a_world_that_an_edition_has_held_is_not_drawn_again(tmp_path: Path) -> None:
    held = draw_world(8, 0).config.name
    publish_domains(tmp_path, "kumo-a", prepare(tmp_path, domains=["chemical_analysis"]), (held,))
    workspace = grow_worlds(tmp_path, domains=["chemical_analysis"], worlds=2)
    names = [row["domain"] for row in workspace.rows(WORLDS, "kumo_domains")]
    assert names == [draw_world(8, index).config.name for index in (1, 2)]


@pytest.mark.slow
def test_an_edition_with_worlds_is_published_and_rebuilt(tmp_path: Path) -> None:
    asked = {**SMALL, "players": ["algorithm-3", "reader"], "domain_count": 1, "worlds": 2}
    make_edition(tmp_path, "worlds", domains=[], **asked)
    sources = "SELECT source, count(world_kind), count(*) FROM kumo_domains GROUP BY 1 ORDER BY 1"
    assert query_rows(tmp_path, sources) == [("catalog", 0, 1), ("world", 2, 2)]
    for unit in ("worlds", "worlds@1"):
        assert reproduce_unit(Store(str(tmp_path)), unit, tmp_path / unit).same
