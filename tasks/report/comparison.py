"""An edition beside another one of the same benchmark."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping

from perennial.tasks.report.content import (
    EditionComparison,
    Grid,
    Query,
    Record,
    ReportData,
    ReportTable,
    Section,
    make_grid,
)
from perennial.tasks.report.figures.interval_rows import Scale, read_estimate, rows_by_setting
from perennial.tasks.report.wording import clean, decimals, p_number, with_interval
from perennial.tasks.statistics.multiplicity import holm
from perennial.tasks.statistics.rasch import Edition, LogitDifference, link_editions
from perennial.tasks.statistics.standardised import Domains, compare_standardised, estimate_domain_sd

# Two editions compared by the players and settings that both have.
#
# No instance is ever in two editions, so their answers are independent; what they may share are domains, to
# which rates are standardised, and anchors, which tell drift of the edition from change of a player.

ANSWER_PATTERNS = Query(
    "answer_patterns",
    """
-- Which players solved which instances? One row for all instances of a domain on which each player had the
-- same result: `solved` of `runs` scored runs, in the order of `players`. `cluster` numbers what several
-- instances share, such as the texts of a pair; NULL: they share nothing.
WITH drawn AS (
    SELECT instance_id, setting, domain,
           CASE WHEN count(*) OVER (PARTITION BY setting, domain, cluster) > 1
                THEN dense_rank() OVER (ORDER BY cluster) END AS cluster
    FROM instances
    WHERE edition = $edition
), answers AS (
    SELECT i.setting, i.domain, i.cluster, e.instance_id, e.player, count(*) FILTER (e.success) AS solved,
           count(*) AS runs
    FROM episodes AS e
    JOIN drawn AS i USING (instance_id)
    WHERE e.edition = $edition AND e.status <> 'api_error' AND e.version IS NULL
    GROUP BY ALL
), patterns AS (
    SELECT setting, domain, cluster, instance_id,
           list(player ORDER BY player) AS players,
           list(solved ORDER BY player) AS solved,
           list(runs ORDER BY player) AS runs
    FROM answers
    GROUP BY ALL
)
SELECT setting, domain, cluster, players, solved, runs, count(*) AS instances
FROM patterns
GROUP BY ALL
ORDER BY setting, domain, players, solved, runs, cluster
""",
)

KEY = "edition_comparison"
LINK_KEY = "edition_link"
COLUMNS = (
    "setting",
    "player",
    "success_rate",
    "low",
    "high",
    "domain_sd",
    "other_success_rate",
    "other_low",
    "other_high",
    "other_domain_sd",
    "shared_domains",
    "standardised_rate",
    "other_standardised_rate",
    "difference",
    "difference_low",
    "difference_high",
    "p_value",
    "p_holm",
)
LINK_COLUMNS = (
    *("setting", "of", "player", "shared_domains", "anchors"),
    *("value", "standard_error", "low", "high", "p_value", "slope_p_holm", "p_holm"),
)
DRIFT, ANCHOR, CHANGE = "drift of the edition", "change of an anchor", "change of a player"


def comparison_table(data: ReportData, other: EditionComparison) -> ReportTable:
    """A row for each setting and player that both editions have, in the order of the headline.

    Rates are on each edition's own instances, `domain_sd` their standard deviation over editions of as many
    random domains. `difference` is this edition's rate minus the other's, both standardised to the domains
    that both have, with interval and p of `compare_standardised`; `p_holm` is that p after Holm's correction
    over all rows.
    """
    first, two = _rates_of(other.own_answers), _rates_of(other.answers)
    others = {(row["setting"], row["player"]): row for row in other.headline.records()}
    rows, p_values = [], []
    for row in data.tables["headline"].records():
        key = (row["setting"], row["player"])
        if key not in others or row["success_rate"] is None or others[key]["success_rate"] is None:
            continue
        gap = compare_standardised(first[key], two[key])
        p_values.append(gap.p_value if gap else None)
        standardised = (
            (gap.domains, gap.rate, gap.other, gap.value, gap.low, gap.high) if gap else (0, *[None] * 5)
        )
        sides = ((row, first[key]), (others[key], two[key]))
        rates = [
            value for record, rates in sides for value in (*_interval(record), estimate_domain_sd(rates))
        ]
        rows.append((*key, *rates, *standardised))
    whole = tuple((*row, p, q) for row, p, q in zip(rows, p_values, holm(p_values), strict=True))
    computed = f"Compared with the same answers of edition {data.edition}, standardised to shared domains."
    return ReportTable(KEY, COLUMNS, whole, other.answers.sql, computed)


def link_table(data: ReportData, other: EditionComparison) -> ReportTable:
    """Return, for each setting that anchors tie, the edition's drift and its players' changes, in logits.

    A positive drift means that this edition is harder than the other one, a positive change that the player
    is abler in this edition. Holm's correction covers the drifts of all settings as one family, and the
    changes of all players that are no anchors as another. `slope_p_holm` tests
    that a player follows difficulty as the others do; that of the drift is the smallest one.
    """
    rows: list[tuple[object, ...]] = []
    for setting in data.settings:
        first, two = (_edition_of(answers, setting) for answers in (other.own_answers, other.answers))
        link = link_editions(first, two, other.anchors)
        if link is None:
            continue
        estimates = [(DRIFT, "", link.drift, min(link.slopes.values(), default=None))]
        for player in sorted(link.changes, key=lambda player: (player not in link.anchors, player)):
            subject = ANCHOR if player in link.anchors else CHANGE
            estimates.append((subject, player, link.changes[player], link.slopes.get(player)))
        anchored = (link.shared_domains, len(link.anchors))
        rows += [
            (setting, subject, player, *anchored, *_numbers(estimate), slope_p)
            for subject, player, estimate, slope_p in estimates
        ]
    adjusted: dict[int, float | None] = {}
    for family in (DRIFT, CHANGE):
        members = [number for number, row in enumerate(rows) if row[1] == family]
        p_values = [float(str(rows[number][-2])) for number in members]
        adjusted |= dict(zip(members, holm(p_values), strict=True))
    whole = tuple((*row, adjusted.get(number)) for number, row in enumerate(rows))
    computed = f"Fitted together with the same answers of edition {data.edition}, tied by anchors."
    return ReportTable(LINK_KEY, LINK_COLUMNS, whole, other.answers.sql, computed)


def _interval(record: Record) -> tuple[float | None, ...]:
    return tuple(record[f"success_rate{end}"] for end in ("", "_low", "_high"))


def _numbers(estimate: LogitDifference) -> tuple[float, ...]:
    return estimate.value, estimate.error, estimate.low, estimate.high, estimate.p_value


def _rates_of(answers: ReportTable) -> Mapping[tuple[str, str], Domains]:
    """By setting and player, and then by domain, how many instances have each mean over runs, by cluster."""
    rates: dict[tuple[str, str], dict[str, Counter[tuple[float, int | None]]]]
    rates = defaultdict(lambda: defaultdict(Counter))
    for row in answers.records():
        for player, solved, runs in zip(row["players"], row["solved"], row["runs"], strict=True):
            rates[row["setting"], player][row["domain"]][solved / runs, row["cluster"]] += row["instances"]
    return rates


def _edition_of(answers: ReportTable, setting: str) -> Edition:
    return [
        (
            row["domain"],
            dict(zip(row["players"], zip(row["solved"], row["runs"], strict=True), strict=True)),
            row["instances"],
        )
        for row in answers.records()
        if row["setting"] == setting
    ]


# This edition beside another: the same players' rates and differences, and drift on the scale of anchors.

_LINK_CAPTION = (
    "Anchors, players that are the same in both editions, tie them to one scale: a Rasch model with an "
    "effect of each player, domain and instance, in logits (at a rate of one half, 0.4 is about a tenth "
    "of the rate). A positive drift means that this edition is harder than the other, in the domains that "
    "both have or, where they share none, over all; a positive change, that the player is abler than it "
    "was. An anchor's own change is estimated with the other anchors as ties: one that changed should be "
    "no anchor. Errors are by instance or by domain, whichever is larger. Holm's correction covers the "
    "drifts, and apart from them the changes of players that are not anchors. Slope p (Holm) tests that a "
    "player follows difficulty as the others do, that of the drift being the smallest: below 0.05 the model "
    "does not fit, and drift and changes are underestimated."
)


def edition_difference(data: ReportData, comparison: EditionComparison) -> Section:
    """The section of players that both editions have: a table, and a bar a difference."""
    title = f"Compared with edition {clean(comparison.edition)}"
    difference = comparison_table(data, comparison)
    tables = (difference, comparison.headline, comparison.domains)
    if not difference.rows:
        return Section(KEY, title, "", tables, missing="No player has a rate in both editions.")
    minus = f"{clean(data.edition)} minus {clean(comparison.edition)}"
    rows = [row for row in difference.records() if row["difference"] is not None]
    drawings = rows_by_setting(
        data,
        title,
        rows,
        lambda row: [read_estimate(row, "difference", "shared_domains")],
        Scale(("difference in standardised rate:", minus), has_zero_line=True),
        more=f": {minus}",
        unit="shared domains",
    )
    caption = (
        "Players that both editions have, setting by setting. Rates are over each edition's own "
        "instances, with the 95% intervals of the leaderboard; SD is how much such a rate scatters "
        "over editions of as many random domains (the standard deviation of domain rates / the root of "
        "their number). The difference is between rates standardised to the domains that both editions "
        "have, n of them, each weighing the same; its interval and p are for other instances of these "
        "domains (those of a cluster are one draw), and Holm's correction covers all rows. Without "
        "shared domains there is none: look at SD and at the anchors then."
    )
    edition, other = clean(data.edition), clean(comparison.edition)
    grid = Grid(
        ("setting", "player", edition, "SD", other, "SD", "difference", "n", "p", "p (Holm)"),
        tuple(
            (
                clean(row["setting"]),
                clean(row["player"]),
                with_interval(row["success_rate"], row["low"], row["high"]),
                decimals(row["domain_sd"]),
                with_interval(row["other_success_rate"], row["other_low"], row["other_high"]),
                decimals(row["other_domain_sd"]),
                with_interval(row["difference"], row["difference_low"], row["difference_high"]),
                str(row["shared_domains"]),
                p_number(row["p_value"]),
                p_number(row["p_holm"]),
            )
            for row in difference.records()
        ),
        frozenset(range(2, 10)),
    )
    return Section(KEY, title, caption, tables, drawings, grid)


def edition_link(data: ReportData, comparison: EditionComparison) -> Section:
    """The section of the linked scale: a table of the drift and of each player's change."""
    title = f"Drift and change since edition {clean(comparison.edition)}"
    links = link_table(data, comparison)
    tables = (links, comparison.answers, comparison.own_answers)
    if not links.rows:
        return Section(LINK_KEY, title, "", tables, missing=_missing(comparison))
    columns: dict[str, Callable[[Record], str]] = {
        "setting": lambda row: clean(row["setting"]),
        "what": lambda row: str(row["of"]),
        "player": lambda row: clean(row["player"]),
        "logits": lambda row: with_interval(row["value"], row["low"], row["high"]),
        "standard error": lambda row: decimals(row["standard_error"]),
        "p": lambda row: p_number(row["p_value"]),
        "p (Holm)": lambda row: p_number(row["p_holm"]),
        "slope p": lambda row: p_number(row["slope_p_holm"]),
        "domains": lambda row: f"{row['shared_domains']:,}",
        "anchors": lambda row: f"{row['anchors']:,}",
    }
    grid = make_grid(links.records(), columns, texts=3)
    return Section(LINK_KEY, title, _LINK_CAPTION, tables, grid=grid)


def _missing(comparison: EditionComparison) -> str:
    if not comparison.anchors:
        return (
            "No anchor ties these editions: name three or four pinned models or programs as anchors in "
            "perennial.toml, so that every refresh evaluates them, or with --anchors those that both have."
        )
    return (
        "No anchor ties these editions: in both it must have solved some instances and failed some; anchors "
        f"given: {clean(', '.join(comparison.anchors))}."
    )
