import pytest
from jinja2 import UndefinedError

from perennial.prompts.render import render, template_hash
from perennial.schemas.errors import InvalidOption

TURN = "kumo/players/turn.md.j2"


def test_values_are_shown_as_they_are():
    text = render(TURN, action="{{ 1 + 1 }} <b>", observation="{% if %}&")
    assert text == "You chose: {{ 1 + 1 }} <b>\nObserved outcome: {% if %}&"


def test_a_missing_value_is_an_error():
    with pytest.raises(UndefinedError, match="observation"):
        render(TURN, action="Swab")


@pytest.mark.parametrize("call", [render, template_hash])
def test_an_unknown_template_names_the_known_ones(call):
    with pytest.raises(InvalidOption, match=r"'kumo/nothing.md.j2' is not known: .*kumo/players/turn.md.j2"):
        call("kumo/nothing.md.j2")


def test_hashes_differ_by_template_and_stay():
    names = ["kumo/books/book.md.j2", "kumo/books/book_outcome.md.j2", "kumo/players/system.md.j2", TURN]
    hashes = [template_hash(name) for name in names]
    assert len(set(hashes)) == len(names)
    assert hashes == [template_hash(name) for name in names]
    assert all(value.startswith("tpl_") and len(value) == 36 for value in hashes)


def test_the_hash_covers_imported_templates(monkeypatch):
    from perennial.prompts import render as rendering

    sources = rendering._sources("kumo/books/book.md.j2")
    names = ("books/book.md.j2", "books/book_outcome.md.j2", "counterfactual.md.j2")
    assert set(sources) == {f"kumo/{name}" for name in names}
    before = template_hash("kumo/books/book.md.j2")
    changed = {**sources, "kumo/books/book_outcome.md.j2": sources["kumo/books/book_outcome.md.j2"] + " "}
    monkeypatch.setattr(rendering, "_sources", lambda name: changed)
    assert template_hash.__wrapped__("kumo/books/book.md.j2") != before
