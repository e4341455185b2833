"""A report's data, made by hand: two settings, three domains, and names that want to be markup."""

from copy import deepcopy
from datetime import datetime
from itertools import combinations, product
from typing import Any

from vl_convert import vega_to_svg

from perennial.flows.kumo.benchmark import BENCHMARK
from perennial.tasks.kumo.report import REPORT
from perennial.tasks.kumo.report_figures import DomainGraph
from perennial.tasks.report.content import Drawing, EditionComparison, ReportData, ReportTable

HOSTILE = "<script>alert(1)</script>"
NAMES = (HOSTILE, "a$b$ & \"c\" 'd' {{ 7 * 7 }}", "日本語/模型", "e\x1b[31m\u202ef\ud83d\x00", "g" * 200)
SETTINGS = ("easy", "hard")
MEASURED = " ".join(
    f"{m.column}{end}" for m in BENCHMARK.measures for end in ("", "_low", "_high", "_no_interval")
)
FLOORS = "floor floor_low floor_high above_floor above_floor_low above_floor_high"
POPULATION = "new domains"
DOMAINS = ("Weather", "Knots <b>", "Stars")


def table(name: str, columns: str, rows: list[tuple[Any, ...]]) -> ReportTable:
    """Return a table with the columns, given by a line."""
    return ReportTable(name, tuple(columns.split()), tuple(rows), f"SELECT '{name}' AS \"<{name}>\"")


def draw_svg(drawing: Drawing, **signals: object) -> str:
    """Return the drawing as SVG, after the page set these signals."""
    chart = deepcopy(dict(drawing.chart))
    next(data for data in chart["data"] if data["name"] == "rows")["values"] = list(drawing.rows)
    for signal in chart["signals"]:
        if signal["name"] in signals:
            signal["value"] = signals[signal["name"]]
    return vega_to_svg(chart)


def answer_patterns(name: str, players: tuple[str, ...], shift: int = 0) -> ReportTable:
    """Return answers of 20 instances per domain; of each ten, the player at place i fails i + 1 + shift."""
    rows = [
        (
            s,
            d,
            None,
            sorted(players),
            [int(place > i + shift + (s == "hard")) for i in range(len(players))],
            [1] * len(players),
            2,
        )
        for s, d, place in product(SETTINGS, DOMAINS, range(10))
    ]
    return table(name, "setting domain cluster players solved runs instances", rows)


def compare(
    data: ReportData, other: ReportData, edition: str = "old", anchors: tuple[str, ...] = ()
) -> EditionComparison:
    """Return what the data is compared with: the tables of the other one, whose instances are easier."""
    return EditionComparison(
        edition,
        other.tables["headline"],
        other.tables["domains"],
        answer_patterns("answer_patterns_old", tuple(other.players())),
        answer_patterns("answer_patterns_new", tuple(data.players()), shift=2),
        anchors,
    )


_STEPS = (("domains", 1, "proposed"), ("domains", 2, "new"), ("books", 6, "asked for"))


def report_data(players: tuple[str, ...] = NAMES, **changed: list[tuple[Any, ...]]) -> ReportData:
    """Return the data of a KUMO report with these players; `changed` are rows in place of a table's own."""
    pairs = list(product(SETTINGS, enumerate(players)))
    rate = {player: 0.9 / (1 + number) for number, player in enumerate(players)}
    rows: dict[str, list[tuple[Any, ...]]] = {
        "headline": [
            (
                *(s, i + 1, "models", i + 1, p, 30, 60, 59 + (i > 0)),
                *(rate[p], rate[p] / 2, (1 + rate[p]) / 2, POPULATION),
                *(30, rate[p], rate[p] / 2, (1 + rate[p]) / 2, rate[p], 0.02, 0.04, "shared"),
                *(i * 0.5, i * 0.4, i * 0.7, None) * len(BENCHMARK.measures),
                *[None] * len(FLOORS.split()),
            )
            for s, (i, p) in pairs
        ],
        "relative_action_counts": [
            (c, s, p, 60, i * 0.5, i * 0.4, i * 0.7, POPULATION, None)
            for c in ("algorithm-3", "optimum", "kumo-2025")
            for s, (i, p) in pairs
        ],
        "references": [(s, 30, 29, 1.9, 2.0, 1.6, 1.8, 1.7) for s in SETTINGS],
        "draws": [("birds", s, "python-sat", "CaDiCaL", 30, 90, 60, 0, 400, 90, 0) for s in SETTINGS],
        "domains": [
            (s, d, p, 20, rate[p], rate[p] / 2, (1 + rate[p]) / 2, "these domains")
            for s, (_, p) in pairs
            for d in DOMAINS
        ],
        "player_pairs": [
            (s, *pair, 30, 0.25, 0.1, 0.4, 0.05, 0.45, POPULATION, 0.0001, 0.04, "models", "0.0001", 9, 0.2)
            for s in SETTINGS
            for pair in combinations(players[:2], 2)
        ],
        "cheaper_models": [
            (
                *("e<1>", s, players[0], player, 30, "US dollars", 0.25, 0.5, 0.5),
                *(-0.01 * number, -0.03 * number),
                *(POPULATION, None, 0.03 * number, number == 0, True),
            )
            for s in SETTINGS
            for number, player in enumerate(players[1:])
        ],
        "cost_frontier": [
            (
                *("e<1>", s, p, "models", 30, "US dollars", 0.5 / (i + 1), 0.2 / (i + 1), 0.9 / (i + 1)),
                *(rate[p], rate[p] / 2, (1 + rate[p]) / 2, POPULATION, 0.75, i % 2 == 0),
            )
            for s, (i, p) in pairs
        ],
        "variance_parts": [
            ("e<1>", s, part, 0.02 * i - 0.01, 0.0, 0.1, 0.5, 30, POPULATION, None, "method")
            for s in SETTINGS
            for i, part in enumerate(("domain", "model x domain", "instance"))
        ],
        "smallest_changes": [("e<1>", s, p, rate[p], 0.1, 0.14, 30, POPULATION) for s, (_, p) in pairs],
        "steps_at_half": [
            ("e<1>", p, 60, 3.5 - i, 3.0 - i, 4.0 - i, POPULATION, None, 1.0, 5.0)
            for i, p in enumerate(players[:3])
        ],
        "left_out_settings": [
            ("e<1>", SETTINGS[1], p, 30, 0.5, 0.4, -0.1, -0.3, 0.1, POPULATION, None) for p in players
        ],
        "control_gaps": [
            ("closed", s, d, p, f"closed:{p}", 30, 0.25, 0.1, 0.4, POPULATION, None)
            for s in SETTINGS
            for d in ("all", *DOMAINS)
            for p in players[:2]
        ],
        "statuses": [
            (s, p, status, 60, share, share / 2, 0.5, POPULATION)
            for s, (_, p) in pairs
            for status, share in (("solved", 0.7), ("unparsed", 0.2), ("api_error", 0.1), ("refused", 0.0))
        ],
        "other_benchmarks": [
            ("MMLU <i>", s, p, 50.0 + i, "a paper", rate[p], rate[p] / 2, (1 + rate[p]) / 2, POPULATION)
            for s, (i, p) in pairs
        ],
        "models": [
            (
                *(s, p, "F <i>", (3.0, 30.0, 300.0)[i % 3]),
                *(("instruct", "open"), ("reasoning", "closed"))[i % 2],
                *(rate[p], rate[p] / 2, (1 + rate[p]) / 2, POPULATION),
                *(1000.0 * (i + 1), 100.0 if i % 2 else None),
            )
            for s, (i, p) in pairs
        ],
        "scale": [
            (s, "rate", p, "", rate[p], 0.05, 0.0, 1.0, 6, 2, "", 1.1, 0.02 + i, None) for s, (i, p) in pairs
        ]
        + [
            (s, statistic, p, e, rate[p], 0.05, 0.0, 1.0, 3, 1, "", None, None, e)
            for s, (_, p) in pairs
            for e in ("e<0>", "e<1>")
            for statistic in ("rate_in_edition", "shift_of_edition")
        ],
        "contamination": [
            (
                *(p, "models", 0.3 - 0.1 * i, 0.1 - 0.1 * i, 0.5 - 0.1 * i, POPULATION, 0.0004 * 10**i),
                *(0.2 * i or None, i == 0, 60, 40, 100, datetime(2026, 1, 20), None, None),
            )
            for _, (i, p) in pairs[: len(players)]
        ],
        "optimal_counts": [
            (s, count, 10, 30, 3.0, 2.8, 3.2, 1 / 3, 0.19, 0.51) for s in SETTINGS for count in (2, 3, 4)
        ],
        "topology": [
            (s, p, 60, -0.6, -1.1, -0.2, 0.01, 0.02, None, 0.1, 0.05, 4, 0.2, 0.3, 0.5, None, 0.6, 0.4, "0.4")
            for s, (_, p) in pairs
        ],
        "book_versions": [
            (s, p, "first", 4, 0.75, 0.5, 0.25, -0.1, 0.6, POPULATION, None) for s, (_, p) in pairs
        ],
        "configurer_gaps": [(s, "all", p, 9, 0.1, -0.2, 0.4, POPULATION, None) for s, (_, p) in pairs],
        "revisions": [
            (s, domain, "writer <i>", 10, 6, count, 4 - count)
            for s in SETTINGS
            for count, domain in enumerate(("Salts", "Moons <i>", "Spells", "Trees"))
        ],
        "revisions_gain": [
            (s, domain, p, 10, count, count, 0.2, -0.1, 0.5, count / 50 if count else 0.0)
            for s, (_, p) in pairs
            for count, domain in enumerate(("Salts", "Moons <i>", "Spells", "Trees"))
        ],
        "revisions_correlation": [
            (s, p, 4, 0.7, -0.2, 0.9, 3, None, None, None, POPULATION, None) for s, (_, p) in pairs
        ],
        "book_styles": [
            (s, style, p, 15, rate[p], rate[p] / 2, (1 + rate[p]) / 2, 0.25)
            for s, (_, p) in pairs
            for style in ("list", "prose")
        ],
        "authoring_funnel": [
            (category, part, place, step, 9 - place)
            for category in ("all", "Arts <i>")
            for part, place, step in _STEPS
        ],
        "authoring_costs": [
            (DOMAINS[1], "Arts <i>", "proposal", 0.5, 100.0, 50.0, 0.25, 0),
            (DOMAINS[1], "Arts <i>", "books", 3.0, 1000.0, None, None, 3),
            (None, None, "proposal", 1.0, 10.0, 5.0, 0.05, 0),
        ],
        "training_curves": [
            (s, d, p, step, f"sft/{p}-{step}", 30, 0.5, 0.25, 0.75)
            for s in SETTINGS
            for d in DOMAINS[:2]
            for p in players[:2]
            for step in (0, 500, 4_000)
        ],
        "communities": [(DOMAINS[1], 4, 3, 0.2, 1, 4, ["<u>", "b", "c", "d"])],
    }
    columns = {
        "headline": "setting place player_group rank player instances attempted scored "
        "success_rate success_rate_low success_rate_high population common_instances common_rate "
        "common_rate_low common_rate_high "
        f"adjusted_rate adjusted_rate_se adjusted_rate_se_domains ranked_by {MEASURED} {FLOORS}",
        "relative_action_counts": "convention setting player episodes relative_action_count "
        "relative_action_count_low relative_action_count_high "
        "population no_interval",
        "draws": "domain setting engine solver instances lists refused walked solver_calls checked "
        "disagreements",
        "references": "setting instances exact expected_steps policy_steps promise_steps optimal_tests "
        "promise_tests",
        "domains": "setting domain player scored success_rate success_rate_low success_rate_high population",
        "player_pairs": "setting player other_player instances difference difference_low difference_high "
        "difference_simultaneous_low difference_simultaneous_high population p_value p_adjusted family "
        "p_shown discordant_instances mcnemar_p_these_instances",
        "cheaper_models": "edition setting player other_player instances cost_unit cost other_cost saving "
        "difference difference_low population no_interval smallest_margin within_03 is_first_choice",
        "cost_frontier": "edition setting player player_group instances cost_unit cost cost_low cost_high "
        "success_rate success_rate_low success_rate_high population frontier_share is_on_frontier",
        "variance_parts": "edition setting part variance variance_low variance_high share clusters "
        "population no_interval method",
        "smallest_changes": "edition setting player success_rate beyond_chance detectable_change clusters "
        "population",
        "steps_at_half": "edition player instances steps_at_half steps_at_half_low steps_at_half_high "
        "population no_interval fewest_steps most_steps",
        "left_out_settings": "edition setting player instances predicted_rate observed_rate difference "
        "difference_low difference_high population no_interval",
        "control_gaps": "variant setting domain player control instances gap gap_low gap_high population "
        "no_interval",
        "statuses": "setting player status attempted share share_low share_high population",
        "other_benchmarks": "benchmark setting player score source success_rate success_rate_low "
        "success_rate_high population",
        "models": "setting player family parameters_billion tuning weights success_rate success_rate_low "
        "success_rate_high population mean_tokens mean_reasoning_tokens",
        "scale": "setting statistic player other value standard_error low high domains editions link "
        "discrimination discrimination_p_holm created_at",
        "contamination": "player player_kind gap gap_low gap_high population p_holm detectable_gap "
        "detects_08 public_instances private_instances compared created_at training_cutoff no_gap",
        "optimal_counts": "setting optimal_count instances n mean_count mean_low mean_high share share_low "
        "share_high",
        "topology": "setting player instances topology_trend topology_trend_low topology_trend_high "
        "topology_trend_p topology_trend_p_holm topology_trend_undefined cramers_v_pooled permuted_v classes "
        "share_in_other cramers_v_pooled_p cramers_v_pooled_p_holm cramers_v_pooled_undefined "
        "cramers_v_kumo_2025 chi_square_p_kumo_2025 chi_square_p_kumo_2025_shown",
        "book_versions": "setting player book instances success_final success_other difference "
        "difference_low difference_high "
        "population no_interval",
        "configurer_gaps": "setting domain player instances gap gap_low gap_high population no_interval",
        "revisions": "setting domain author books unchanged revised replaced",
        "revisions_gain": "setting domain player books revised instances gain gain_low gain_high domain_gain",
        "revisions_correlation": "setting player domains r r_low r_high gain_domains gain_r gain_r_low "
        "gain_r_high population no_interval",
        "book_styles": "setting style player instances success_rate success_rate_low "
        "success_rate_high p_holm",
        "authoring_funnel": "category part place step number",
        "authoring_costs": "domain category stage calls prompt_tokens completion_tokens cost_usd "
        "calls_without_cost",
        "training_curves": "setting domain training step player instances success_rate success_rate_low "
        "success_rate_high",
        "communities": "domain n_truths n_links modularity community n_members truths",
    }
    tables = {name: table(name, columns[name], changed.get(name, rows[name])) for name in columns}
    links = ((0, 1, 3), (1, 2, 1), (2, 3, 2))
    graph = DomainGraph(DOMAINS[1], ("<u>", "b", "c", "d"), links, ((0, 1, 2), (3,)), 0.2)
    facts = (("benchmark", "kumo"), ("seed", "7"))
    return ReportData("e<1>", facts, SETTINGS, tables, BENCHMARK.measures, REPORT, (graph,))
