"""An edition with rules that a model wrote goes all the way: expanded, gated, played, read and made again."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from perennial.flows.editions.audit import audit_unit
from perennial.flows.editions.reproduce import reproduce_unit
from perennial.flows.export.export_edition import export_edition
from perennial.flows.export.source import open_games
from perennial.schemas.a2rbench.things import DOMAINS
from perennial.tasks.a2rbench.replies import write_answer
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.editions.verify import verify_unit
from perennial.warehouse.store.store import Store
from tests.a2rbench import scripted_expander, scripted_model
from tests.a2rbench.authored_rules import AUTHOR, GRIDS, LINES, SQUARES, SWAP, TURN
from tests.flows.made_units import make_edition
from tests.server.in_thread import serving
from tests.server.options import ServerOptions
from tests.server.script import Asked

pytestmark = pytest.mark.slow

# The catalogue has seed 0 of each cell and the model seed 1.
RULES = {"line_symbolic": SWAP, "grid_symbolic": TURN, "line_semantic": SQUARES}


class Designer:
    """Writes the words of these rules, and prose for other cells."""

    role = "designer"
    faults = ()

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith("You invent puzzles")

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        text = asked.messages[1]["content"]
        shape = next(name for name in ("list", "grid", "cube") if f"inputs that are {name}s" in text)
        type_ = "symbolic" if "a symbolic rule" in text else "semantic"
        rule = RULES.get(f"{shape.replace('list', 'line')}_{type_}")
        if rule is None:
            return "I have none."
        words = {"rule_description": rule.description, "inverse_rule_description": rule.inverse_description}
        return json.dumps({"reasoning": "r", **words})


class Architect:
    """Writes the code of these rules."""

    role = "architect"
    faults = ()

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith("You write small, exact")

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        rule = next(each for each in RULES.values() if each.description in asked.messages[1]["content"])
        *examples, query = LINES if rule.dimension == 1 else GRIDS
        code = {"reasoning": "r", "python_code": rule.code, "examples": examples, "query": query}
        return json.dumps(code)


class Reviewer:
    """Accepts all rules."""

    role = "judge"
    faults = ()

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith("You review")

    def reply(self, _asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        return '{"reasoning": "r", "is_valid": true}'


def scripts() -> tuple[Any, ...]:
    """Return the roles of the scripted server: it loads them from this module."""
    authors = (Designer(), Architect(), Reviewer())
    return (*authors, *scripted_expander.scripts(), *scripted_model.scripts())


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data root with such an edition, played by a program and a model."""
    root = tmp_path_factory.mktemp("expansions") / "data"
    faults = {"expander.few": 0.1, "expander.skipped": 0.1, "judge.refuses": 0.1}
    options = ServerOptions(models=(AUTHOR, "m-judge", "right"), roles=__name__, faults=faults)
    with serving(options) as server:
        asked = {"author": f"catalogue,{AUTHOR}", "judge": "m-judge", "players": "search,right"}
        sizes: dict[str, Any] = {
            "seeds": 2,
            "variations": 2,
            "runs": 1,
            "seed": 5,
            "candidates": 1,
            "retries": 1,
        }
        other = {"instances": None, "settings": None, "domains": None}
        make_edition(root, "e1", benchmark="a2rbench", base_url=server.url, **asked, **sizes, **other)
        yield root


def rows(root: Path, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in open_catalog(Store(str(root))).query(sql)[1]]


def test_models_rules_stand_beside_the_catalogues(root: Path) -> None:
    found = rows(
        root,
        'SELECT DISTINCT author, domain, "index" FROM instances '
        "JOIN a2rbench_items USING (edition, instance_id) WHERE setting = 'seed' ORDER BY ALL",
    )
    own = [(AUTHOR, domain, 1) for domain in sorted(RULES)]
    assert found == [("catalogue", domain, 0) for domain in sorted(DOMAINS)] + own
    doubled = 'SELECT domain, setting, "index" FROM instances GROUP BY ALL HAVING count(*) > 1'
    assert rows(root, doubled) == []
    assert rows(root, "SELECT count(*) FROM a2rbench_gate JOIN a2rbench_rules USING (edition, rule)") == [
        (3,)
    ]


def test_it_is_played_and_counted_by_author(root: Path) -> None:
    found = rows(
        root, "SELECT author, rules, accuracy FROM a2rbench_authors WHERE player = 'search' ORDER BY 1"
    )
    assert found[0] == ("catalogue", 6, 1.0)
    assert found[1][:2] == (AUTHOR, 3)


def test_each_call_is_in_the_edition_and_each_attempt_is_of_one(root: Path) -> None:
    missing = "SELECT call_id FROM a2rbench_attempts WHERE call_id NOT IN (SELECT call_id FROM calls)"
    assert rows(root, missing) == []
    roles = rows(root, "SELECT role, count(*) > 0 FROM calls WHERE role <> 'player' GROUP BY 1 ORDER BY 1")
    assert roles == [(role, True) for role in ("architect", "designer", "expander", "judge")]


def test_it_is_audited_and_made_again_without_a_call(root: Path, tmp_path: Path) -> None:
    store = Store(str(root))
    assert [audit_unit(store, unit)[1] for unit in ("e1", "e1@1")] == [(), ()]
    made = reproduce_unit(store, "e1", tmp_path)
    assert {table.table for table in made.tables if not table.same_rows} == set()


def test_it_is_verified_exported_and_played_by_hand(root: Path, tmp_path: Path) -> None:
    store = Store(str(root))
    assert verify_unit(store, "e1").findings == []
    export_edition(store, "e1", tmp_path / "out")
    (file,) = (tmp_path / "out").glob("tables/a2rbench_rules/*/*.parquet")
    table = pq.ParquetFile(file).read()
    assert sorted(table["domain"].to_pylist()) == sorted(RULES)
    sql = f"SELECT instance_id, answer FROM a2rbench_items WHERE author = '{AUTHOR}' ORDER BY 1 LIMIT 1"
    ((id_, answer),) = rows(root, sql)
    game = open_games(root, "e1").start(id_)
    game.take(write_answer(json.loads(answer)))
    assert game.result is not None
    assert game.result.status == "solved"
