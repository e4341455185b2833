"""Players in pairs, on the instances that both played: neighbours in rank, and those that do not differ."""

from itertools import pairwise

from perennial.tasks.report.content import (
    Drawing,
    Grid,
    Query,
    Record,
    ReportData,
    Section,
    figure,
    omit_section,
    omit_unanalysed,
)
from perennial.tasks.report.figures.interval_rows import Scale, interval_rows, read_estimate
from perennial.tasks.report.wording import clean, name_populations, p_number, p_text, span, with_interval

PLAYER_PAIRS = Query(
    "player_pairs",
    """
-- Which of two players is better on the instances that both played? The better one stands first.
SELECT setting, player, other_player, instances, difference, difference_low, difference_high, population,
       discordant_instances,
       mcnemar_p, mcnemar_p_holm, family, mcnemar_p_shown
FROM paired_comparisons
WHERE edition = $edition AND (difference > 0 OR (difference = 0 AND player < other_player))
ORDER BY setting, abs(difference) DESC, player, other_player
""",
)

_KEY = "player_pairs"
_TITLE = "Players in pairs"
_LEVEL = 0.05
_MOST_NAMED = 6
Pairs = dict[tuple[str, str], Record]


@figure(_KEY, _TITLE, PLAYER_PAIRS)
def player_pairs(data: ReportData) -> Section:
    """Return the section of paired comparisons: a drawing of neighbours per setting, and a row per player."""
    table = data.tables[_KEY]
    rows = table.records()
    if len(data.players()) < 2:
        return omit_section(_KEY, _TITLE, [table], "This edition has one player only.")
    if not rows:
        return omit_unanalysed(_KEY, _TITLE, [table])
    drawings, cells = [], []
    for setting in data.settings:
        pairs = _pairs([row for row in rows if row["setting"] == setting])
        ranked = [row["player"] for row in data.tables["headline"].records() if row["setting"] == setting]
        neighbours = [_estimate(pairs[pair]) for pair in pairwise(ranked) if pair in pairs]
        if neighbours:
            n = span(row["n"] for row in neighbours)
            title = ("difference in success rate:", "the player of the better rank minus the next")
            scale = Scale(title, has_zero_line=True)
            heading = f"{setting}: neighbours in rank, n = {n} instances per pair"
            drawings.append(interval_rows(heading, f"{_TITLE}: {setting}", neighbours, scale))
        cells += [_cells(setting, player, ranked, pairs) for player in ranked]
    headings = ("setting", "player", "next in rank", "difference", "n", "McNemar p", "p (Holm)")
    caption = (
        "Difference is the first player's success rate minus the other's, over the instances that both "
        f"played; n counts these instances. {name_populations(rows)} p is McNemar's "
        "exact test on majority labels, and Holm's correction covers the pairs of one setting and kind of "
        "player: models, programs, controls (VARIANT:MODEL), training checkpoints, or two of these kinds. "
        f"Players do not differ where p (Holm) is at least {_LEVEL}: this does not show that they are equal. "
        "All pairs are in the table behind it."
    )
    grid = Grid((*headings, "does not differ from"), tuple(cells), frozenset(range(3, 7)))
    return Section(_KEY, _TITLE, caption, (table,), tuple(drawings), grid)


def draw_pairs_of(data: ReportData, setting: str, player: str) -> tuple[Drawing, ...]:
    """Return a drawing of the player beside each other one in the setting; none where it met nobody."""
    rows = [row for row in data.tables[_KEY].records() if row["setting"] == setting]
    drawn = [_estimate(row) for (one, _), row in _pairs(rows).items() if one == player]
    if not drawn:
        return ()
    scale = Scale(("difference in success rate:", "the player minus each other one"), has_zero_line=True)
    heading = f"{setting}: {clean(player)}, n = {span(row['n'] for row in drawn)} instances per pair"
    drawn.sort(key=lambda row: -row["value"])
    return (interval_rows(heading, f"{_TITLE}: {setting}, {clean(player)}", drawn, scale),)


def _pairs(rows: list[Record]) -> Pairs:
    """Return the comparisons by players, in both directions."""
    turned = [
        {**row, "player": row["other_player"], "other_player": row["player"]}
        | {
            name: None if row[column] is None else -row[column]
            for name, column in (
                ("difference", "difference"),
                ("difference_low", "difference_high"),
                ("difference_high", "difference_low"),
            )
        }
        for row in rows
    ]
    return {(row["player"], row["other_player"]): row for row in (*rows, *turned)}


def _estimate(row: Record) -> Record:
    more = f", {p_text(row['mcnemar_p_holm'])}"
    return read_estimate(row, "difference", "instances", other=row["other_player"], more=more)


def _cells(setting: str, player: str, ranked: list[str], pairs: Pairs) -> tuple[str, ...]:
    after = ranked[ranked.index(player) + 1 :]
    row = pairs.get((player, after[0])) if after else None
    alike = [
        other
        for other in ranked
        if (pair := pairs.get((player, other))) is not None
        and (pair["mcnemar_p_holm"] is None or pair["mcnemar_p_holm"] >= _LEVEL)
    ]
    named = ", ".join(clean(other) for other in alike[:_MOST_NAMED])
    beyond = len(alike) - _MOST_NAMED
    compared = any(one == player for one, _ in pairs)
    others = (
        f"{named} and {beyond} more" if beyond > 0 else named or ("nobody" if compared else "not compared")
    )
    if row is None:
        return (clean(setting), clean(player), clean(after[0]) if after else "", *[""] * 4, others)
    figures = (
        with_interval(row["difference"], row["difference_low"], row["difference_high"]),
        f"{row['instances']:,}",
    )
    p_values = p_number(row["mcnemar_p"]), p_number(row["mcnemar_p_holm"])
    return (clean(setting), clean(player), clean(after[0]), *figures, *p_values, others)
