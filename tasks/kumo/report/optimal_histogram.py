"""How many actions Algorithm 3's policy takes, as a histogram a setting (the paper's figure 6c)."""

from tasks.report.content import Drawing, Record, ReportData, Section, omit_section
from tasks.report.figures.canvas import INK, SERIES, WIDTH, canvas, plot, sheet, to_svg
from tasks.report.wording import with_interval

_KEY = "optimal_counts"
_TITLE = "Optimal action counts"
_PLOT_HEIGHT = 150
_LEFT = 44


def optimal_histogram(data: ReportData) -> Section:
    """Return the section of optimal action counts: share of instances by count, a drawing a setting."""
    table = data.tables[_KEY]
    rows = table.records()
    if not rows:
        return omit_section(_KEY, _TITLE, [table], "This edition has no instance.")
    drawings = []
    for number, setting in enumerate(data.settings):
        listed = [row for row in rows if row["setting"] == setting]
        first = listed[0]
        mean = with_interval(first["mean_count"], first["mean_low"], first["mean_high"], 2)
        drawings.append(
            Drawing(
                f"{setting}, n = {first['n']:,} instances, mean {mean}",
                _draw(f"{_KEY}-{number}", f"{_TITLE}: {setting}", listed),
            )
        )
    caption = (
        "Each bar is the share of instances on which Algorithm 3's policy, the paper's optimum, takes this "
        "many actions (its tests and the one prediction), on the observations that the instance has. 95% "
        "intervals: Wilson's for each share, normal for the mean. n is the number of instances."
    )
    return Section(_KEY, _TITLE, caption, (table,), tuple(drawings))


def _draw(key: str, title: str, rows: list[Record]) -> str:
    from matplotlib.ticker import MaxNLocator

    with sheet():
        figure = canvas(_PLOT_HEIGHT + 44)
        axes = plot(figure, _LEFT, 6, WIDTH - _LEFT - 8, _PLOT_HEIGHT)
        counts = [row["optimal_count"] for row in rows]
        axes.bar(counts, [row["share"] for row in rows], width=0.8, color=SERIES[0])
        axes.vlines(
            counts, [row["low"] for row in rows], [row["high"] for row in rows], color=INK, linewidth=1.4
        )
        for end in ("low", "high"):
            ends = [row[end] for row in rows]
            axes.hlines(
                ends, [c - 0.14 for c in counts], [c + 0.14 for c in counts], color=INK, linewidth=1.4
            )
        axes.set_xlim(0.4, max(6, *counts) + 0.6)
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=10))
        axes.locator_params(axis="y", nbins=5)
        axes.set_xlabel("actions of Algorithm 3's policy")
        axes.set_ylabel("share of instances")
        axes.grid(True, axis="y")
        return to_svg(figure, key, title)
