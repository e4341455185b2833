"""Tasks that take answers which are nearly the best: how many are right, and how many are the best."""

from perennial.tasks.beyondbench.report.leaderboard import SCORES
from perennial.tasks.report.content import Grid, ReportData, Section, figure, omit_section, omit_unanalysed
from perennial.tasks.report.wording import clean, with_interval

_KEY = "best_answers"
_TITLE = "Best answers"
_CAPTION = (
    "A set of projects is right where its profit is at least 95% of the largest possible one, as the prompt "
    "says. Right is the share of scored runs with such an answer, best the share with the largest profit "
    "itself; brackets hold 95% intervals for instances that vary. The suite's accuracy counts the former, "
    "its best_accuracy in the table behind the latter."
)


@figure(_KEY, _TITLE, SCORES)
def best_answers(data: ReportData) -> Section:
    """Return the section: a row per player, two columns per task whose right answers are not all best."""
    table = data.tables["scores"]
    rows = table.records()
    if not rows:
        return omit_unanalysed(_KEY, _TITLE, (table,))
    found = {(row["task"], row["player"]): row for row in rows if row["task"] != "all"}
    tasks = sorted({task for (task, _), row in found.items() if row["best_accuracy"] != row["accuracy"]})
    if not tasks:
        return omit_section(_KEY, _TITLE, [table], "Every right answer of this edition is a best one.")
    players = [player for player in data.players() if any((task, player) in found for task in tasks)]
    cells = []
    for player in players:
        line = [clean(player)]
        for task in tasks:
            row = found.get((task, player), {})
            line += [
                with_interval(row.get(name), row.get(f"{name}_low"), row.get(f"{name}_high"))
                for name in ("accuracy", "best_accuracy")
            ]
        cells.append(tuple(line))
    grid = Grid(
        ("player", *("right", "best") * len(tasks)),
        tuple(cells),
        frozenset(range(1, 1 + 2 * len(tasks))),
        (("", 1), *((clean(task), 2) for task in tasks)),
    )
    return Section(_KEY, _TITLE, _CAPTION, (table,), grid=grid)
