"""Every sentence and introduction is as it was read by eye, and every sentence has one reading."""

import pytest

from perennial.schemas.knowlogic.things import GAP, LANGUAGES, Language
from tests.knowlogic.golden.golden_texts import ENTRIES, TEXTS, golden_domain, golden_file, list_said, write


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TEXTS)
def test_golden_texts(name: str, language: Language) -> None:
    assert write(name, language) == golden_file(name, language).read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ENTRIES)
def test_golden_sentences_have_one_reading(name: str, language: Language) -> None:
    for scenario, proposition in list_said(name):
        if name == "time" and GAP in proposition.arguments[2:3]:
            continue  # no question leaves the second event open, which might be one of history
        book = golden_domain(name).phrasebook(scenario, language)
        assert book.read(book.write(proposition)) == proposition
