"""A phrasebook reads what it writes, and nothing else."""

import pytest

from perennial.schemas.knowlogic.things import GAP, Proposition
from perennial.tasks.knowlogic.phrasebook import Phrasebook, join_names, split_names

SENTENCES = {
    "left": {"zh": "{a:item}在{b:item}左边。", "en": "{a:item} is to the left of {b:item}."},
    "tiers": {
        "zh": "{a:item}比{b:item}高{n:number}层。",
        "en": "{n:number} tiers separate {b:item} from {a:item} above it.",
    },
}
LEXICON = {
    "zh": {"item": {"i1": "豆腐", "i2": "豆腐干"}, "number": {1: "一", 2: "两"}},
    "en": {"item": {"i1": "the tofu", "i2": "the dried tofu"}, "number": {1: "one", 2: "two"}},
}
SAID = [
    Proposition("left", ("i1", "i2")),
    Proposition("left", ("i2", "i1")),
    Proposition("tiers", ("i2", "i1", 2)),
    Proposition("left", (GAP, "i2")),
    Proposition("tiers", ("i2", GAP, 1)),
]


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("said", SAID)
def test_what_is_written_is_read(language: str, said: Proposition) -> None:
    book = Phrasebook(SENTENCES, language, LEXICON[language])
    assert book.read(book.write(said)) == said


def test_a_sentence_begins_with_a_capital_and_a_number_fills_its_place() -> None:
    book = Phrasebook(SENTENCES, "en", LEXICON["en"])
    assert book.write(SAID[0]) == "The tofu is to the left of the dried tofu."
    assert book.write(SAID[2]) == "Two tiers separate the tofu from the dried tofu above it."
    assert book.write_filler(SAID[3], "i1") == "the tofu"
    assert book.read_filler(SAID[3], "the tofu") == "i1"


@pytest.mark.parametrize(
    "sentence", ["", "The tofu is left.", "豆腐在豆腐干左边。", "The cat is to the left of the tofu."]
)
def test_another_sentence_is_refused(sentence: str) -> None:
    with pytest.raises(ValueError, match="nothing that the templates say"):
        Phrasebook(SENTENCES, "en", LEXICON["en"]).read(sentence)


@pytest.mark.parametrize("names", [["a"], ["a", "b"], ["a", "b", "c"]])
def test_lists_are_read_back(names: list[str]) -> None:
    for language in ("zh", "en"):
        assert split_names(join_names(names, language), language) == names
