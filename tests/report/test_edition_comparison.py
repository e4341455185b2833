"""Two editions compared: who is compared, on which domains, and what anchors say of it."""

from dataclasses import replace

import pytest

from perennial.flows.benchmark import find_benchmark
from perennial.flows.editions.report import read_comparison
from perennial.schemas.errors import InvalidOption
from perennial.tasks.report.comparison import comparison_table, edition_link, link_table
from tests.report.sample_report import compare, report_data, table


def test_only_what_both_editions_have_is_compared() -> None:
    one, other = report_data(("a", "b")), report_data(("b", "c"))
    compared = compare(one, other)
    records = comparison_table(one, compared).records()
    assert comparison_table(one, compared).sql == compared.answers.sql
    assert [(record["setting"], record["player"]) for record in records] == [("easy", "b"), ("hard", "b")]
    first = records[0]
    # b is second here and first there: of each ten instances it solves the last six and the last nine.
    assert (first["standardised_rate"], first["other_standardised_rate"]) == pytest.approx((0.6, 0.9))
    assert first["difference"] == pytest.approx(-0.3)
    assert first["difference_low"] < -0.3 < first["difference_high"] < 0
    assert first["shared_domains"] == 3
    assert first["p_value"] < 0.001
    assert first["p_holm"] == pytest.approx(2 * first["p_value"])
    assert first["domain_sd"] == pytest.approx(0, abs=1e-12)


def test_editions_without_a_shared_domain_have_no_difference_but_their_scatter() -> None:
    one = report_data(("a", "b"))
    compared = compare(one, one)
    rows = [("easy", f"other {n}", None, ["a", "b"], [n % 2, 1], [1, 1], 10) for n in range(4)]
    answers = table("answers", "setting domain cluster players solved runs instances", rows)
    (first, second) = comparison_table(one.of_setting("easy"), replace(compared, answers=answers)).records()
    assert (first["shared_domains"], first["difference"], first["p_value"], first["p_holm"]) == (
        0,
        None,
        None,
        None,
    )
    # Rates 0, 1, 0, 1 of four domains: s = 0.577, of their mean half as much.
    assert first["other_domain_sd"] == pytest.approx(0.2887, abs=1e-4)
    assert second["other_domain_sd"] == 0


@pytest.mark.slow
def test_anchors_show_that_the_edition_became_harder_and_a_player_stayed() -> None:
    """Every player fails two more of ten: the anchors as well as c."""
    data = report_data(("a", "b", "c"))
    records = link_table(data, compare(data, data, anchors=("a", "b"))).records()
    easy = {(record["of"], record["player"]): record for record in records if record["setting"] == "easy"}
    drift, change = easy["drift of the edition", ""], easy["change of a player", "c"]
    assert set(easy) == {
        *((of, player) for of, player in easy if player in ("", "c")),
        ("change of an anchor", "a"),
        ("change of an anchor", "b"),
    }
    assert drift["value"] > 0.5
    assert drift["low"] > 0
    assert abs(change["value"]) < 2 * drift["value"]
    assert drift["anchors"] == 2
    assert easy["change of an anchor", "a"]["p_holm"] is None


def test_editions_of_two_benchmarks_are_not_compared() -> None:
    with pytest.raises(InvalidOption, match="'plain' is an edition of kumo, but 'r1' of beyondbench"):
        read_comparison(
            lambda _sql: (("benchmark",), [("kumo",)]), "plain", "r1", find_benchmark("beyondbench")
        )


def test_without_anchors_the_section_says_how_to_name_them() -> None:
    data = report_data(("a", "b"))
    assert "anchors in perennial.toml" in edition_link(data, compare(data, data)).missing
    assert "anchors given: z." in edition_link(data, compare(data, data, anchors=("z",))).missing
