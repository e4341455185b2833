"""Success rate of each player in each domain, as a heat map a setting."""

from typing import TYPE_CHECKING

from tasks.report.content import Drawing, Record, ReportData, Section, omit_unanalysed
from tasks.report.figures.canvas import TEXT, canvas, plot, sheet, to_svg
from tasks.report.wording import decimals, shorten, span

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_KEY = "domains"
_TITLE = "Success rate by domain and player"
_CELL = 58
_ROW = 32
_NAME_LETTERS = 24
_PLAYER_LETTERS = 26
_LETTER = 6.6
_TINY = 8.5
_MOST_SIDE_BY_SIDE = 6


def heat_map(data: ReportData) -> Section:
    """Return the section of success rates by domain and player."""
    table = data.tables[_KEY]
    rows = [row for row in table.records() if row["success_rate"] is not None]
    if not rows:
        return omit_unanalysed(_KEY, _TITLE, [table])
    drawings = []
    for number, setting in enumerate(data.settings):
        listed = [row for row in rows if row["setting"] == setting]
        if listed:
            players = _players(data, setting, listed)
            svg = _draw(f"{_KEY}-{number}", f"{_TITLE}: {setting}", listed, players)
            n = span(row["scored"] for row in listed)
            drawings.append(Drawing(f"{setting}, n = {n} a field", svg, len(players) > _MOST_SIDE_BY_SIDE))
    caption = (
        "Each field is the share of a player's scored episodes in a domain that it solved, and below it the "
        "95% interval by bootstrap over instances; dark is 0, light is 1, empty is not scored. n is the "
        "number of scored episodes. Players are in the order of the table above, domains by name."
    )
    return Section(_KEY, _TITLE, caption, (table,), tuple(drawings), names_players=True)


def _players(data: ReportData, setting: str, rows: list[Record]) -> list[str]:
    ranked = [row["player"] for row in data.tables["headline"].records() if row["setting"] == setting]
    shown = {row["player"] for row in rows} & set(data.drawn_players())
    return [player for player in ranked if player in shown]


def _draw(key: str, title: str, rows: list[Record], players: list[str]) -> str:
    domains = sorted({row["domain"] for row in rows})
    across, down = _CELL * len(players), _ROW * len(domains)
    names = [shorten(player, _PLAYER_LETTERS) for player in players]
    slant = max(map(len, names)) * _LETTER * 0.71
    labels = [shorten(domain, _NAME_LETTERS) for domain in domains]
    left = max(map(len, labels)) * _LETTER + 14
    with sheet():
        figure = canvas(down + slant + 18, left + across + max(8.0, slant - _CELL / 2 + 8))
        axes = plot(figure, left, slant + 14, across, down)
        axes.set_xlim(0, len(players))
        axes.set_ylim(len(domains), 0)
        axes.set_axis_off()
        for column, name in enumerate(names):
            axes.annotate(
                name,
                (column + 0.5, 0),
                xytext=(0, 5),
                textcoords="offset points",
                rotation=45,
                rotation_mode="anchor",
                fontsize=TEXT,
            )
        for line, label in enumerate(labels):
            axes.annotate(
                label, (0, line + 0.5), xytext=(-6, 0), textcoords="offset points", ha="right", va="center"
            )
        for row in rows:
            if row["player"] in players:
                _field(axes, row, players.index(row["player"]), domains.index(row["domain"]))
        return to_svg(figure, key, title)


def _field(axes: "Axes", row: Record, column: int, line: int) -> None:
    from matplotlib import colormaps
    from matplotlib.colors import to_hex
    from matplotlib.patches import Rectangle

    value = row["success_rate"]
    colour = to_hex(colormaps["cividis"](value))
    axes.add_patch(Rectangle((column + 0.02, line + 0.03), 0.96, 0.94, facecolor=colour, edgecolor="none"))
    # Fields keep their colours on a dark page, so that their text does as well.
    ink = "#ffffff" if value < 0.5 else "#111111"
    axes.text(column + 0.5, line + 0.34, decimals(value, 2), color=ink, ha="center", va="center")
    if row["low"] is not None and row["high"] is not None:
        interval = f"{decimals(row['low'], 2)}–{decimals(row['high'], 2)}"
        axes.text(column + 0.5, line + 0.74, interval, color=ink, ha="center", va="center", fontsize=_TINY)
