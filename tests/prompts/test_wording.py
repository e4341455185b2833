import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.prompts.wording import capital, one_line, paragraph, plural, sentence, with_article


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("disease", "diseases"),
        ("diagnostic test", "diagnostic tests"),
        ("analysis", "analyses"),
        ("entity", "entities"),
        ("survey", "surveys"),
        ("box", "boxes"),
        ("search", "searches"),
        ("virus", "viruses"),
        ("species", "species"),
        ("craftsman", "craftsmen"),
        ("human", "humans"),
        ("Person", "People"),
        ("cause of failure", "causes of failure"),
        ("analysis in vitro", "analyses in vitro"),
        ("test (blind)", "tests (blind)"),
        ("DNA", "DNAs"),
        ("diseases", "diseases"),
        ("lens", "lenses"),
        ("y", "ys"),
        ("", ""),
    ],
)
def test_plural(noun, expected):
    assert plural(noun) == expected


@given(st.text(max_size=20))
def test_plural_takes_any_text(noun):
    assert isinstance(plural(noun), str)


def test_sentence_is_one_line_with_one_end():
    assert sentence("  A kidney\n\n disorder ") == "A kidney disorder."
    assert sentence("Really?") == "Really?"
    assert one_line("a\t\r\nb") == "a b"
    assert capital("eBook reader") == "EBook reader"


@pytest.mark.parametrize("text", ["- a rule", "# A heading", "> quoted", "* a star", "| a | table |", "---"])
def test_a_paragraph_is_no_list_no_heading(text):
    assert paragraph(text).startswith("\\" + text[0])


def test_a_paragraph_keeps_plain_words():
    assert paragraph("*In vitro* count") == "*In vitro* count."


@pytest.mark.parametrize(
    "phrase",
    [
        *(
            "an airliner",
            "an artefact",
            "an enquiry",
            "an umbrella",
            "an hour",
            "an heir",
            "an uninformed one",
        ),
        *("an X-ray", "an MRI scan", "an 8-bit word", "an époque", "an 'int'"),
        *(
            "a tree",
            "a look-up",
            "a unit",
            "a user",
            "a utility",
            "a European",
            "a one-way street",
            "a house",
        ),
        *("a UFO", "a ewe", "a 'str'"),
    ],
)
def test_the_article_goes_by_the_sound(phrase: str) -> None:
    assert with_article(phrase.partition(" ")[2]) == phrase
