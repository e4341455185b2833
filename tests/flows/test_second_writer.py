"""Two writers' books of the same instances: what is kept and judged of each, and who gains from whose."""

from pathlib import Path
from statistics import mean

import pytest

from perennial.schemas.errors import InvalidOption
from perennial.schemas.kumo.settings import KumoSettings
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.dictionary import saved_questions
from perennial.warehouse.store.store import Store
from tests.flows.made_units import make_edition
from tests.flows.one_shot import query_rows
from tests.server.options import ServerOptions
from tests.server.running import running_server

pytestmark = pytest.mark.slow

FAULTS = {
    "writer.missing_rule": 0.4,
    "reviser.never_right": 0.4,
    "player.wrong_name": 0.2,
    "judge.sees_no_error": 0.3,
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Edition `e`: models `one` and `two` wrote books of the same instances, and play both."""
    root = tmp_path_factory.mktemp("two")
    with running_server(ServerOptions(seed=5, models=("one", "two", "judge"), faults=FAULTS)) as server:
        make_edition(
            root,
            "e",
            base_url=server.url,
            settings=["4x4"],
            sampler="kumo-2025",
            instances=10,
            writer="one",
            second_writer="two",
            judge="judge",
            book_rounds=1,
            players=["one", "two"],
            books=["final", "second"],
        )
    return root


def test_both_writers_books_are_kept_and_checked_by_their_own_writer(root: Path) -> None:
    books = query_rows(
        root, "SELECT instance_id, version, author, checked_by, verdict, revision FROM kumo_books"
    )
    assert len({(of[0], of[-1]) for of in books}) == len(books)
    authors = {(version, author) for _, version, author, _, _, _ in books}
    assert {pair for pair in authors if pair[0].startswith("second")} == {
        ("second", "two"),
        ("second-draft", "two"),
    }
    assert all(author == checker for _, _, author, checker, _, _ in books if author != "template")
    firsts = {id_ for id_, version, author, *_ in books if version == "final" and author == "one"}
    passed = {id_ for id_, version, author, _, verdict, _ in books if author == "two" and verdict == "passed"}
    seconds = {id_ for id_, version, *_ in books if version == "second"}
    assert seconds == firsts & passed
    assert 0 < len(seconds) < len(passed)
    ((first_books,),) = query_rows(root, "SELECT sum(books) FROM revisions")
    assert first_books == 10


def test_the_preference_is_half_of_the_difference_of_two_gains(root: Path) -> None:
    shown = query_rows(root, "SELECT player, instance_id, version, success::INT FROM episodes")
    of = {(player, id_, version): success for player, id_, version, success in shown}
    ids = sorted({id_ for _, id_, version in of if version == "second"})
    one, two = ([of[name, id_, None] - of[name, id_, "second"] for id_ in ids] for name in ("one", "two"))
    expected = mean((mine - other) / 2 for mine, other in zip(one, two, strict=True))
    columns = "player, other_player, instances, preference"
    assert expected != 0
    assert query_rows(root, f"SELECT {columns} FROM version_preferences") == [
        ("one", "two", len(ids), pytest.approx(expected))
    ]
    row, *_ = open_catalog(Store(str(root))).records(saved_questions()["own_books"].ask({}))
    assert (row["writer"], row["second_writer"], row["instances"]) == ("one", "two", len(ids))


def test_a_second_writer_is_another_model_beside_a_writer() -> None:
    for given in ({"second_writer": "m"}, {"writer": "m", "second_writer": "m"}):
        with pytest.raises(InvalidOption, match="--second-writer m: expected another model than the writer"):
            KumoSettings(**given).authoring(has_domains=True)


def test_a_judge_judges_every_book_of_a_model_and_decides_nothing(root: Path) -> None:
    columns = "author, judged_by, verdict, judged_right, judge_call_ids"
    books = query_rows(root, f"SELECT {columns} FROM kumo_books")
    by_models = [of for of in books if of[0] != "template"]
    assert {judge for _, judge, *_ in by_models} == {"judge"}
    others = [tuple(of[1:]) for of in books if of[0] == "template"]
    assert all((judge, right, calls) == (None, None, []) for judge, _, right, calls in others)
    seen = {(verdict, right) for _, _, verdict, right, _ in by_models}
    assert seen == {("passed", True), ("failed", False), ("failed", True)}
    judged = query_rows(root, "SELECT books FROM book_judgements")
    assert sum(n for (n,) in judged) == len(by_models)
    # The same text is judged once.
    named = {call for *_, calls in by_models for call in calls}
    assert query_rows(root, "SELECT count(*) FROM calls WHERE role = 'judge'") == [(len(named),)]


def test_a_judge_needs_a_writer() -> None:
    with pytest.raises(InvalidOption, match="a judge judges what a model wrote"):
        KumoSettings(judge="m").authoring(has_domains=True)
