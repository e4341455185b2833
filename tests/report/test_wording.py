"""Names and numbers as people read them."""

from perennial.tasks.report.wording import cell, clean, decimals, p_number, p_text, span, with_interval


def test_numbers() -> None:
    assert decimals(0.12345) == "0.123"
    assert decimals(-0.12345) == "−0.123"
    assert decimals(-0.0001) == "0.000"
    assert decimals(None) == "–"
    assert decimals(1234567.4, 0) == "1,234,567"
    assert with_interval(0.5, 0.25, 0.75, 2) == "0.50 [0.25,\xa00.75]"
    assert with_interval(0.5, None, 0.75, 2) == "0.50"
    assert with_interval(None, 0.1, 0.2) == "–"


def test_p_values() -> None:
    assert [p_text(p) for p in (None, 0.0004, 0.001, 0.5)] == [
        "p undefined",
        "p < 0.001",
        "p = 0.001",
        "p = 0.500",
    ]
    assert [p_number(p) for p in (None, 0.0004, 1.0)] == ["–", "< 0.001", "1.000"]
    # No float is that small: 0 is what is left of it.
    assert [p_text(p) for p in (0.0, 5e-324)] == ["p < 1e-300", "p < 1e-300"]


def test_spans() -> None:
    assert span([]) == "–"
    assert span([80, 80]) == "80"
    assert span([1500, 80]) == "80 to 1,500"


def test_clean_leaves_ordinary_text_alone() -> None:
    for text in ("", "gpt-5 (mini)", "日本語 émoji 🎲"):
        assert clean(text) == text
    assert clean("\x1b\u2066\ud800") == "\ufffd" * 3


def test_cells() -> None:
    shown = [cell(value) for value in (None, True, 12345, 0.123456, -2.5, 123456.7, ["a", 1], "x\ny")]
    assert shown == ["", "yes", "12,345", "0.1235", "−2.5", "123,457", "a, 1", "x y"]
