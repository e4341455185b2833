"""Models asked as the KUMO authors asked, from the command line to the report, and beside their controls."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.editions.report import report_data
from perennial.flows.editions.reproduce import reproduce_unit
from perennial.flows.refresh.evaluation import prepare_evaluation
from perennial.flows.refresh.plan import prepare_refresh
from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.schemas.settings import load_settings
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run
from tests.flows.made_units import SETTINGS, make_edition, make_evaluation
from tests.flows.one_shot import query_rows
from tests.kumo.paper_clone import AGENT_FILE, write_clone
from tests.server.options import ServerOptions
from tests.server.running import running_server

pytestmark = pytest.mark.slow

PLAYERS = ["paper", "closed:paper", "algorithm-3"]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_clone(tmp_path_factory.mktemp("clone"))


@pytest.fixture(scope="module")
def root(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Edition `e` that a model played under the protocol with its book and without, and once more later."""
    root = tmp_path_factory.mktemp("asked")
    options = ServerOptions(roles="tests.kumo.paper_clone", models=("paper", "later"))
    with running_server(options) as server:
        given = {"base_url": server.url, "protocol": "kumo-2025", "release": str(clone)}
        make_edition(root, "e", instances=6, players=PLAYERS, **given)
        make_evaluation(root, "e", players=["later"], **given)
    return root


def _plan(root: Path, evaluation: str) -> dict[str, Any]:
    ((text,),) = query_rows(root, f"SELECT settings FROM evaluations WHERE evaluation = '{evaluation}'")
    plan: dict[str, Any] = json.loads(text)
    return plan


def test_the_book_is_what_solves_and_the_gap_is_a_figure_with_an_interval(root: Path) -> None:
    rates = dict(query_rows(root, "SELECT player, success_rate FROM leaderboard"))
    assert rates["paper"] == rates["algorithm-3"] == rates["later"] == 1.0
    assert rates["closed:paper"] < 1
    overall, domain = query_rows(
        root, "SELECT domain, player, control, variant, instances, gap, gap_low, gap_high FROM control_gaps"
    )
    assert overall[:5] == ("all", "paper", "closed:paper", "closed", 6)
    assert domain[:5] == ("Chemical Analysis", *overall[1:5])
    gap, low, high = overall[5:]
    assert gap == pytest.approx(1 - rates["closed:paper"])
    # Six instances say little.
    assert -1 < low < gap < high <= 1
    ((difference,),) = query_rows(
        root,
        "SELECT difference FROM paired_comparisons WHERE (player, other_player) = ('closed:paper', 'paper')",
    )
    assert difference == pytest.approx(-gap)
    families = dict(query_rows(root, "SELECT player || '/' || other_player, family FROM paired_comparisons"))
    assert families["later/paper"] == "models"
    assert families["closed:paper/paper"] == "controls and models"


def test_calls_and_plan_keep_the_hash_and_the_messages_stand_as_published(root: Path) -> None:
    plan = _plan(root, "1")
    assert plan["protocol"]["name"] == "kumo-2025"
    ((template, hash_),) = query_rows(root, "SELECT DISTINCT template, template_hash FROM calls")
    assert plan["protocol"]["templates"] == {"Chemical Analysis": hash_}
    assert template == "kumo-2025/ChemicalEnv"
    last = "position = (SELECT max(position) FROM call_messages WHERE call_id = m.call_id)"
    asked = query_rows(
        root,
        f"SELECT {last}, contains(content, 'Causes: ['), count(*) FROM call_messages AS m "
        "WHERE role = 'user' GROUP BY ALL ORDER BY ALL",
    )
    assert [row[:2] for row in asked] == [(False, False), (True, True)]
    systems = query_rows(
        root, "SELECT DISTINCT contains(content, '<BOOK>') FROM call_messages WHERE role = 'system'"
    )
    assert sorted(systems) == [(False,), (True,)]


@pytest.mark.parametrize("unit", ["e@1", "e@2"])
def test_stored_replies_reproduce_it_without_the_clone(root: Path, unit: str, tmp_path: Path) -> None:
    found = reproduce_unit(Store(str(root)), unit, tmp_path)
    assert found.same
    assert {table.table: table.published for table in found.tables}["calls"] > 0


def test_the_report_names_the_protocol_and_shows_the_gap(root: Path) -> None:
    data = report_data(Store(str(root)))
    assert dict(data.facts)["protocol"] == "kumo-2025 in evaluation 1, kumo-2025 in evaluation 2"
    assert [row["control"] for row in data.tables["control_gaps"].records()] == ["closed:paper"] * 2


def test_a_dry_run_shows_name_and_hashes_and_estimates_the_control_without_a_book(
    root: Path, clone: Path, run: Run
) -> None:
    protocol = ("--protocol", "kumo-2025", "--release", str(clone))
    shown = run("evaluate", "e", "--players", "new,closed:new", *protocol, "--dry-run", "--json")
    assert shown.code == 0, shown.err
    document = json.loads(shown.out)
    kept = _plan(root, "1")["protocol"]
    assert document["plan"]["protocol"] == {key: kept[key] for key in ("name", "templates")}
    one, control = document["estimates"]
    assert (one["calls_low"], control["model"]) == (control["calls_low"], "closed:new")
    assert control["prompt_tokens"] < one["prompt_tokens"]
    missing = run("evaluate", "e", "--players", "new", *protocol[:2], "--dry-run")
    assert (missing.code, missing.out) == (2, "")
    assert "--release" in missing.err
    assert "Traceback" not in missing.err


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"protocol": "kumo-2024"}, "expected perennial or kumo-2025"),
        ({"release": ""}, "name a clone of their repository with --release"),
        ({"release": "nowhere"}, "no such folder"),
        ({"protocol": "perennial"}, "give both or none"),
        ({"players": ["symbolic:m"]}, "player 'symbolic:m'"),
        ({"domains": ["mineral_identification"]}, "domain 'Mineral Identification'"),
        ({"domains": ["medical_diagnosis"]}, "no class is registered as MedicalEnv"),
        ({"author": "m", "propose": 1, "domains": []}, "models propose new ones"),
    ],
)
def test_what_does_not_fit_is_one_line(
    clone: Path, tmp_path: Path, changed: dict[str, Any], told: str
) -> None:
    given = {"protocol": "kumo-2025", "release": str(clone), "players": ["m"], **changed}
    flags = {**SETTINGS, "root": str(tmp_path), **given}
    with pytest.raises((InvalidOption, UnreadableInput)) as raised:
        prepare_refresh(load_settings(flags), Store(str(tmp_path)), needs_key=False)
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_model_answers_an_edition_under_one_protocol_and_one_set_of_templates(
    root: Path, clone: Path, tmp_path: Path
) -> None:
    def plan(players: list[str], **given: str) -> None:
        settings = load_settings({"edition": "e", "root": str(root), "players": players, **given})
        prepare_evaluation(settings, Store(str(root)), needs_key=False)

    with pytest.raises(InvalidOption, match=r"'paper' was asked under protocol kumo-2025 in e@1"):
        plan(["new", "paper"])
    altered = Path(shutil.copytree(clone, tmp_path / "altered"))
    agent = altered / AGENT_FILE
    agent.write_text(agent.read_text().replace("Go ahead", "Go on"))
    with pytest.raises(InvalidOption, match="never mix protocols or templates"):
        plan(["later"], protocol="kumo-2025", release=str(altered))
    plan(["new"])
    plan(["later", "random"], protocol="kumo-2025", release=str(clone))
