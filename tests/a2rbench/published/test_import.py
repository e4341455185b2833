"""Items of the authors' form become an edition: what holds is played, all else is kept and told."""

import json
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from perennial.flows.a2rbench.edition import ItemSeat
from perennial.flows.a2rbench.release import ImportedEdition, import_lines
from perennial.flows.cli.app import app
from perennial.flows.run.process_pool import spread_over
from perennial.schemas.errors import EditionConflict, UnreadableInput
from perennial.schemas.tables import TABLES, staged_tables
from perennial.tasks.a2rbench import published as trials
from perennial.tasks.a2rbench.growing import Rejected
from perennial.tasks.a2rbench.item_text import read_dimension, read_prompt
from perennial.tasks.a2rbench.players import PLAYERS, copy_nearest
from perennial.tasks.a2rbench.published import read_lines
from perennial.tasks.a2rbench.values import split_texts
from perennial.tasks.play import play_program
from perennial.tasks.sandbox import tier
from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import find_protection
from perennial.warehouse.audit.audit import cross_table_rules
from perennial.warehouse.catalog.catalog import open_catalog, published_editions
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.store.store import Store
from tests.a2rbench.published import made_lines as own
from tests.conftest import REPOSITORY
from tests.warehouse.doctored_rows import connect_to

pytestmark = pytest.mark.slow

Rows = list[dict[str, Any]]


def take(root: Path, text: str, edition: str = "theirs") -> ImportedEdition | None:
    lines = read_lines(text, "file")
    return import_lines(Store(str(root)), edition, lines, find_protection(), spread_over(1), lambda _: None)


def rows(store: Store, table: str, edition: str = "theirs") -> Rows:
    name = table_file(table, edition)
    # A table without rows has no file.
    return store.read_table(name, None).to_pylist() if store.exists(name) else []


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    done = take(folder, own.text_of(own.ALL))
    assert done is not None
    assert (done.lines, done.items, done.copies) == (len(own.ALL), len(own.ITEMS), 5)
    assert (done.symbolic, done.not_commuting) == (6, 1)
    return folder


@pytest.fixture
def store(root: Path) -> Store:
    return Store(str(root))


def test_lines_become_items_as_they_stand(store: Store) -> None:
    items = {row["instance_id"]: row for row in rows(store, "a2rbench_items")}
    lines = {row["question_id"]: row for row in rows(store, "a2rbench_published")}
    assert set(lines) == {each["question_id"] for each in own.ALL}
    for given in own.ALL:
        assert json.loads(lines[given["question_id"]]["line"]) == given
    for given in own.ITEMS:
        item = items[lines[given["question_id"]]["instance_id"]]
        data = given["puzzle_data"]
        assert json.loads(item["query"]) == data["question_plaintext"]
        assert json.loads(item["answer"]) == data["answer_ciphertext"]
        pairs = [[each["input"], each["output"]] for each in data["examples"]]
        assert json.loads(item["examples"]) == pairs
        assert (item["author"], item["code"]) == ("Author_X", given["python_code"])
        read, query = read_prompt(item["prompt"])
        assert [list(pair) for pair in read] == pairs
        assert query == data["question_plaintext"]
        assert read_dimension(item["prompt"]) == given["dimensionality"]
    v3 = items[lines["SYM_X_D1_000_V3"]["instance_id"]]
    assert (v3["rule"], v3["variation"]) == ("SYM_X_D1_000", 3)
    assert v3["seed_item"] == lines["SYM_X_D1_000"]["instance_id"]


def test_what_does_not_hold_is_kept_and_told(store: Store) -> None:
    told = {row["subject"]: row for row in rows(store, "rejections")}
    kept = {row["question_id"]: row for row in rows(store, "a2rbench_published")}
    rules = {name: told.pop(name)["rule"] for name in own.LEFT_OUT}
    assert rules == {name: rule for name, (rule, _) in own.LEFT_OUT.items()}
    assert {kept[name]["status"] for name in own.LEFT_OUT} == {"rejected"}
    assert {kept[name]["instance_id"] for name in own.LEFT_OUT} == {None}
    # What is left is the item that has no copy.
    assert {name: row["rule"] for name, row in told.items()} == {"SYM_X_D1_002": "not_remapped"}
    assert not Path("hostile").exists()


def test_a_message_names_input_and_values(store: Store) -> None:
    told = {row["subject"]: row["message"] for row in rows(store, "rejections")}
    assert told["SYM_W_D1_000"] == (
        "the code gives another output for 1 of 4 inputs, first for the query: '!qpo nm', published "
        "'something else'"
    )
    assert "gives '' for example 1, expected 'Ab c'" in told["SYM_W_D1_003"]
    assert "the query is the input of example 1" in told["SYM_W_D1_005"]
    assert "fits the examples as well" in told["SYM_W_D1_007"]


def test_what_code_says_of_itself_is_stored_as_printable_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_values: Any, **_options: Any) -> Any:
        raise SandboxRefusal("raised", "\x1b[31mred\n\ud800")

    monkeypatch.setattr(trials, "run_purely", refuse)
    (line,) = read_lines(own.text_of(own.ITEMS[:1]), "file")
    told = trials.try_line(line, find_protection().jail)
    assert isinstance(told, Rejected)
    assert (told.rule, told.why) == ("raises", "raised: \\x1b[31mred\\n\\ud800")


def test_copies_have_other_letters_and_digits_and_the_same_separators(store: Store) -> None:
    items = {row["instance_id"]: row for row in rows(store, "a2rbench_items")}
    copies = [row for row in items.values() if row["is_remapped"]]
    assert len(copies) == 5
    for copy in copies:
        original, phi = items[copy["of"]], json.loads(copy["phi"])
        for column in ("examples", "query", "answer"):
            text = json.dumps(_as_texts(json.loads(original[column])), ensure_ascii=False)
            assert json.loads(copy[column]) == json.loads("".join(phi.get(sign, sign) for sign in text))
        assert all(sign.isalnum() for sign in phi)
        assert len(set(phi.values())) == len(phi)
        assert not set(phi.values()) & set(original["examples"] + original["query"] + original["answer"])
    (reverse,) = (row for row in copies if row["rule"] == "SYM_X_D1_000" and row["variation"] == 0)
    assert json.loads(reverse["query"])[2] == " "
    assert json.loads(reverse["query"])[-1] == "!"


def _as_texts(value: Any) -> Any:
    return [_as_texts(part) for part in value] if isinstance(value, list) else str(value)


def test_the_rules_of_the_audit_hold(store: Store) -> None:
    names = (*staged_tables("a2rbench", answers=False), *staged_tables("a2rbench", answers=True))
    tables = {name: TABLES[name].arrow_schema().empty_table() for name in names}
    for name in staged_tables("a2rbench", answers=False):
        tables[name] = pa.Table.from_pylist(
            [{key: row[key] for key in tables[name].column_names} for row in rows(store, name)],
            schema=tables[name].schema,
        )
    rules = {rule: sql for rule, sql in cross_table_rules(set(tables)).items() if "a2rbench_" in sql}
    assert any("every imported line" in rule for rule in rules)
    view = connect_to(tables)
    assert {rule: found for rule, sql in rules.items() if (found := view.execute(sql).fetchall())} == {}
    tables["a2rbench_published"] = tables["a2rbench_published"].slice(1)
    (sql,) = (sql for rule, sql in rules.items() if "every imported line" in rule)
    assert connect_to(tables).execute(sql).fetchall() != []


def test_programs_play_items_of_every_form(store: Store) -> None:
    solved = set()
    for item in rows(store, "a2rbench_items"):
        for program in PLAYERS.values():
            seat = ItemSeat(item["instance_id"], item["answer"], item["prompt"], item["template_hash"])
            episode = play_program(program, seat.start(), 0, random.Random(0))
            assert episode.status in ("solved", "wrong", "unparsed")
            if episode.status == "solved":
                solved.add((program.name, item["rule"], item["is_remapped"]))
        reply = json.loads(copy_nearest(item["prompt"]))
        dimension = read_dimension(item["prompt"])
        outputs = [split_texts(wanted, dimension) for _, wanted in json.loads(item["examples"])]
        assert split_texts(reply["final_answer"], dimension) in outputs
    # A text of the reversed text, no list of its characters: the form of the item's own outputs.
    assert ("search", "SYM_X_D1_000", False) in solved
    assert ("search", "SYM_X_D1_000", True) in solved
    # These items show an example of the query's shape.
    assert {name for name, _, _ in solved} == {"search", "guesser"}


def test_the_same_lines_give_the_same_bytes_in_any_order(root: Path, tmp_path: Path) -> None:
    few = own.ITEMS[:2] + own.ITEMS[-1:]
    for folder, lines in (("a", few), ("b", few[::-1])):
        take(tmp_path / folder, own.text_of(lines))
    one, other = Store(str(tmp_path / "a")), Store(str(tmp_path / "b"))
    for name in staged_tables("a2rbench", answers=False):
        file = table_file(name, "theirs")
        assert one.exists(file) == other.exists(file)
        assert not one.exists(file) or one.read_bytes(file) == other.read_bytes(file)


def test_an_edition_is_imported_once_and_never_changed(root: Path) -> None:
    assert take(root, own.text_of(own.ALL[::-1])) is None
    with pytest.raises(EditionConflict, match=r"already published .* choose another --edition"):
        take(root, own.text_of(own.ALL[1:]))
    assert [
        tuple(row) for row in open_catalog(Store(str(root))).query("SELECT freshness FROM editions")[1]
    ] == [("imported",)]


def test_nothing_is_published_where_nothing_holds_or_the_import_is_interrupted(tmp_path: Path) -> None:
    text = own.text_of([own.LEFT_OUT["SYM_W_D1_005"][1]])
    with pytest.raises(UnreadableInput, match=r"none of 1 lines holds.*SYM_W_D1_005: answer_shown"):
        take(tmp_path, text)

    def stop(_function: Callable[..., Any], _values: Sequence[tuple[Any, ...]]) -> Any:
        raise KeyboardInterrupt

    lines = read_lines(own.text_of(own.ITEMS), "file")
    with pytest.raises(KeyboardInterrupt):
        import_lines(Store(str(tmp_path)), "e", lines, find_protection(), stop, lambda _: None)
    assert not published_editions(Store(str(tmp_path)))


def test_the_command_says_what_it_did(tmp_path: Path) -> None:
    (tmp_path / "seeds.jsonl").write_text(own.text_of(own.ALL[:1] + own.ALL[6:8]), encoding="utf-8")
    data = str(tmp_path / "data")
    command = ["import", "a2rbench", str(tmp_path), "--root", data, "--edition", "theirs"]
    done = CliRunner().invoke(app, [*command, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {
        "edition": "theirs",
        "new": True,
        "lines": 3,
        "items": 2,
        "copies": 1,
        "symbolic": 2,
        "not_commuting": 1,
        "rejected": {"not_remapped": 1, "outputs_differ": 1},
    }
    assert "1 of 2 symbolic items do not commute" in done.stderr
    assert "1 not_remapped, 1 outputs_differ" in done.stderr
    again = CliRunner().invoke(app, command)
    assert again.exit_code == 0
    assert "nothing to do" in again.output


def test_a_faulty_file_and_a_weak_sandbox_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, data = tmp_path / "items.jsonl", tmp_path / "data"
    command = ["import", "a2rbench", str(file), "--root", str(data)]
    file.write_text(own.text_of(own.ITEMS[:1]) + "{", encoding="utf-8")
    faulty = CliRunner().invoke(app, command)
    assert isinstance(faulty.exception, UnreadableInput)
    assert "items.jsonl, line 2: not JSON" in str(faulty.exception)
    file.write_text(own.text_of(own.ITEMS[:1]), encoding="utf-8")
    unprotected = tier.Protection("none", find_protection().jail, ())
    monkeypatch.setattr(tier, "find_protection", lambda: unprotected)
    weak = CliRunner().invoke(app, command)
    assert "--accept-weak-sandbox" in str(weak.exception)
    assert not data.exists()
    assert CliRunner().invoke(app, [*command, "--accept-weak-sandbox"]).exit_code == 0


def test_the_authors_release_gives_back_all_but_four_of_its_seeds(tmp_path: Path) -> None:
    shared = Path(os.environ.get("PERENNIAL_SHARED", REPOSITORY.parent / "shared"))
    file = shared / "a2rbench_release" / "seeds.jsonl"
    if not file.exists():
        pytest.skip("seeds of A2RBench's authors are not beside this clone (set PERENNIAL_SHARED)")
    lines = read_lines(file.read_text(encoding="utf-8"), "file")
    store = Store(str(tmp_path))
    done = import_lines(store, "theirs", lines, find_protection(), spread_over(1), lambda _: None)
    assert done is not None
    told: dict[str, list[str]] = {}
    for row in rows(store, "rejections"):
        told.setdefault(row["rule"], []).append(row["subject"])
    assert sorted(told["outputs_differ"]) == [
        "SEM_Gemini_Flash_D3_001",
        "SEM_Gemini_Pro_D1_000",
        "SEM_Gemini_Pro_D2_000",
        "SYM_Gemini_Pro_D2_000",
    ]
    assert sorted(told["answer_shown"]) == [
        "SEM_O4_mini_D3_000",
        "SYM_GPT5_Mini_D3_000",
        "SYM_O4_mini_D3_000",
    ]
    assert sorted(told["not_unique"]) == [
        "SEM_Gemini_Pro_D3_000",
        "SYM_Gemini_Flash_D3_001",
        "SYM_Gemini_Pro_D3_000",
    ]
    assert set(told) == {"outputs_differ", "answer_shown", "not_unique", "not_remapped"}
    assert (done.lines, done.items, done.copies) == (48, 38, 16)
    assert (done.symbolic, done.not_commuting) == (19, 3)
    assert len(told["not_remapped"]) == 3
