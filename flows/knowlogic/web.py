"""What KnowLogic adds to the explorer: questions with both languages side by side."""

import streamlit as st

from perennial.flows.web.figures import show_query, show_rows
from perennial.flows.web.page import Opened, Page, Visit, choose_rows, show_text
from perennial.schemas.knowlogic.things import DIFFICULTIES, DOMAINS, LANGUAGES, LETTERS
from perennial.schemas.rows import Row
from perennial.warehouse.catalog.confinement import quote

_WORDS = {"zh": "Chinese", "en": "English"}


_FACTS = (
    *("pair", "domain", "scenario", "type", "precision", "difficulty", "level", "variables"),
    *("chain_length", "statements", "entities", "properties", "relations", "rules", "rejected_draws"),
)


def show_questions(visit: Visit) -> None:
    """List the questions of the edition."""
    first, *columns = st.columns(4)
    edition = visit.choose_edition("knowlogic", column=first)
    filters = (
        ("Domain", "domain", "domain", DOMAINS),
        ("Difficulty", "difficulty", "difficulty", DIFFICULTIES),
        ("Language", "language", "language", LANGUAGES),
    )
    where = choose_rows(columns, filters)
    show_query(
        "questions",
        edition.snapshot,
        "SELECT instance_id, pair, language, domain, scenario, type, precision, difficulty, level, "
        "letters, text "
        f"FROM knowlogic_questions WHERE {where} ORDER BY domain, scenario, pair, language DESC",
        lambda row: visit.go("instances", edition=edition.name, instance=row["instance_id"]),
    )


def show_question(edition: Opened, instance_id: str) -> None:
    """Show the question in both languages side by side, its labels, and what players answered in each."""
    row = edition.require("knowlogic_questions", "instance_id", instance_id)
    st.text("\n".join(f"{name}: {_write(row[name])}" for name in _FACTS if row[name] is not None))
    texts = edition.query(
        f"FROM knowlogic_questions WHERE pair = {quote(row['pair'])} ORDER BY language DESC, instance_id"
    ).records()
    for column, text in zip(st.columns(len(texts)), texts, strict=True):
        with column:
            _show_text(text)
    st.header("Answers in each language")
    show_rows(
        "answers",
        edition.query(
            "SELECT q.language, e.player, e.run, a.letters, q.letters AS right_letters, e.status, "
            "a.error_class, a.brackets, e.tokens FROM knowlogic_answers AS a JOIN episodes AS e USING "
            "(episode_id) JOIN knowlogic_questions AS q USING (instance_id) WHERE q.pair = "
            f"{quote(row['pair'])} ORDER BY e.player, e.run, q.language DESC"
        ),
    )


def show_letters(edition: Opened, instance_id: str) -> None:
    """Show the question and its right letters."""
    _show_text(edition.require("knowlogic_questions", "instance_id", instance_id))


def _show_text(row: Row) -> None:
    st.header(_WORDS[row["language"]])
    options = "\n".join(
        f"{letter}. {option}" for letter, option in zip(LETTERS, row["options"], strict=False)
    )
    show_text(f"{row['text']}\n\n{row['question']}\n\n{options}")
    st.caption("right letters")
    show_text(row["letters"])


def _write(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


QUESTIONS = Page("knowlogic-questions", "KnowLogic: questions", show_questions)
