"""What `perennial try` prints in the end: a score and what it shows, what went wrong, what to do next."""

import json
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict

from perennial.flows.benchmark import Benchmark
from perennial.flows.console.root_option import root_flag
from perennial.flows.console.row_formats import Terminal, figure, wrap_words
from perennial.flows.editions.diagnosis import (
    PROBLEMS,
    EpisodeProblem,
    describe_call_problems,
    find_problems,
    quote_reply,
    time_waiting,
)
from perennial.flows.editions.report import order_settings
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.rows import JsonObject, Row
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.catalog.dictionary import leaderboard_sql
from perennial.warehouse.store.store import Store

WIDTH = 80
_MANY, _MOST = 0.1, 0.5  # shares of episodes
NO_SCORE = "no call was answered: there is no score"
NO_ABILITY = "at or below the floor: this score shows no ability"
UNDECIDED = "above the floor, but its interval reaches down to it"
ABILITY = "its interval lies above the floor"


def print_first_score(
    store: Store,
    edition: str,
    benchmark: Benchmark,
    model: str,
    best: str,
    named: str,
    flags: str,
    limit: str,
    console: Terminal,
    as_json: bool,
) -> None:
    """Print how the model did, beside the floor and the `best` program, within 80 columns.

    `named` is the flag that named the benchmark and `flags` those that further commands need to ask the same
    model; `limit` is what cuts its replies, as `max_output = 900`, "" where nothing here does.
    """
    catalog = open_catalog(store)
    ordered = order_settings(catalog.query, benchmark, edition)
    board = catalog.records(leaderboard_sql(edition, ()))
    board.sort(key=lambda row: ordered.index(row["setting"]) if row["setting"] in ordered else len(ordered))
    problems = [problem for problem in find_problems(catalog, edition, 0.0) if problem.player == model]
    call_problems = describe_call_problems(catalog, edition)
    spent = {**_sum_spending(catalog, edition, model), "waited_s": time_waiting(store, edition)}
    example = problems[0].example if problems else _pick_episode(catalog, edition, model)
    root = root_flag(store)
    meanings = {row["setting"]: _explain(row) for row in board if row["player"] == model}
    step, command = _propose(benchmark.name, named, edition, model, problems, list(meanings.values()))
    then = [f"perennial episode {example}{root}", f"perennial {command}{flags}"]
    then[1] += "" if command.startswith("models check") else root
    if as_json:
        document = {
            "edition": edition,
            "model": model,
            "scores": [row for row in board if row["player"] == model],
            "leaderboard": board,
            "meanings": meanings,
            "problems": [asdict(problem) for problem in problems],
            "call_problems": call_problems,
            "spent": spent,
            "next": then,
        }
        sys.stdout.write(json.dumps(document, indent=1) + "\n")
        return
    lines = [f"{model} on {benchmark.name}, edition {edition}", ""]
    lines += _scores(board, benchmark, model, best, meanings)
    lines += _problems(store, catalog, problems, spent["episodes"], limit)
    for text in call_problems:
        lines += ["", *wrap_words(f"problem: {text}", WIDTH)]
    lines += _spending(spent)
    lines += ["", *_indent("next:", then[:1])]
    lines += [f"{'':<12}{part}" for part in wrap_words(f"{step}:", WIDTH - 12)]
    lines += _indent("", then[1:])
    for line in lines:
        console.print(line, soft_wrap=True)


def _explain(row: Row) -> str:
    """Say what a score shows of the model, beside the floor of its setting."""
    if row["success_rate"] is None:
        return NO_SCORE
    name = "success_rate" if row["floor"] is None else "above_floor"
    value, low = row[name], row[f"{name}_low"]
    if value is None or value <= 0:
        return NO_ABILITY
    return UNDECIDED if low is None or low <= 0 else ABILITY


def _propose(
    benchmark: str, named: str, edition: str, model: str, problems: list[EpisodeProblem], meanings: list[str]
) -> tuple[str, str]:
    # Under its own name the model would get further runs beside those that the settings spoiled.
    shares = {problem.status: problem.share for problem in problems}
    quoted, again = shlex.quote(model), f"{model}-2"
    entry = f'add ["{again}"] to models.toml, the same model with'
    same = f"evaluate {edition} --players {shlex.quote(again)} --runs 1"
    if NO_SCORE in meanings or shares.get("api_error", 0.0) >= _MANY:
        return "calls fail: see what the model's server accepts", f"models check {quoted}"
    if shares.get("truncated", 0.0) >= _MANY:
        return f"replies are cut: {entry} a higher max_output; the same questions", same
    if shares.get("unparsed", 0.0) + shares.get("refused", 0.0) >= _MOST:
        return f"few replies hold an answer: read them, {entry} other settings; the same questions", same
    if set(meanings) == {NO_ABILITY}:
        other = next((other for other in benchmarks() if other != benchmark), benchmark)
        step = "more questions would show the same: try another benchmark"
        return step, f"try {quoted} --benchmark {other}"
    return "more questions give a narrower interval", f"refresh --size small --players {quoted}{named}"


def _scores(
    board: list[Row], benchmark: Benchmark, model: str, best: str, meanings: Mapping[str, str]
) -> list[str]:
    """Two lines per setting: solved, rate, floor and optimum; then what they show."""
    floor = benchmark.declaration.floor_player
    rates = {(row["setting"], row["player"]): row["success_rate"] for row in board}
    heads = ("", "solved", "rate [95% interval]", "floor", "optimum")
    lines = [f"{heads[0]:<12}{heads[1]:>8}  {heads[2]:<22}{heads[3]:>7}{heads[4]:>9}"]
    for row in board:
        if row["player"] != model:
            continue
        beside = [row["floor"], rates.get((row["setting"], best))]
        low, high = ("–" if rate is None else f"{rate:.3f}" for rate in beside)
        solved = f"{round((row['success_rate'] or 0) * row['scored'])} of {row['scored']}"
        lines.append(
            f"{row['setting'][:11]:<12}{solved:>8}  {figure(row, 'success_rate'):<22}{low:>7}{high:>9}"
        )
        lines.append(f"{'':<12}{meanings[row['setting']]}")
    return [*lines, f"{'':<12}floor: {floor or 'none'}, which answers without the work; optimum: {best}"]


def _problems(
    store: Store, catalog: Catalog, problems: list[EpisodeProblem], episodes: int, limit: str
) -> list[str]:
    """One line for each way in which a reply is not an answer, with an example of each that occurred."""
    by_status = {problem.status: problem for problem in problems}
    lines = [""]
    for status in PROBLEMS:
        number = by_status[status].episodes if status in by_status else 0
        lines.append(f"{status.replace('_', ' '):<12}{number} of {episodes}")
        if status == "truncated" and number:
            cut = f"cut by {limit}" if limit else "cut by the server's limit, or the model's context"
            remedy = "raise it in models.toml" if limit else "set max_output in models.toml"
            lines.append(f"{'':<12}{cut} ({number} of {episodes}): {remedy}")
        if status in by_status:
            lines.append(f"{'':<12}{quote_reply(store, catalog, by_status[status].example, WIDTH - 12)}")
            lines.append(f"{'':<12}perennial episode {by_status[status].example}")
    return lines


def _spending(spent: Row) -> list[str]:
    tokens = f"{spent['prompt_tokens'] or 0:,} in, {spent['completion_tokens'] or 0:,} out"
    if not spent["prompt_tokens"]:
        tokens = "unknown: the server reports none"
    cost = (
        f"${spent['cost_usd']:,.4f} (prices of {spent['price_sources']})"
        if spent["cost_usd"] is not None and not spent["unpriced"]
        else "unknown: no price in models.toml, prices.csv or the bundled list"
    )
    return [
        "",
        f"{'calls':<12}{spent['calls']:,}",
        f"{'tokens':<12}{tokens}",
        f"{'time':<12}{spent['waited_s'] / max(1, spent['calls']):.1f} s of waiting per reply; "
        f"{spent['latency_s'] or 0:.1f} s from request to reply (median)",
        f"{'cost':<12}{cost}",
    ]


def _indent(label: str, commands: list[str]) -> Iterator[str]:
    """Commands behind a label; a long one is continued as a shell reads it."""
    for command in commands:
        for part in wrap_words(command, WIDTH - 14):
            end = "" if command.endswith(part) else " \\"
            yield f"{label:<12}{part}{end}"
            label = ""


def _sum_spending(catalog: Catalog, edition: str, model: str) -> JsonObject:
    of_model = f"edition = {quote(edition)} AND player = {quote(model)}"
    rows = catalog.records(
        "SELECT count(*) AS calls, sum(prompt_tokens)::BIGINT AS prompt_tokens, "
        "sum(completion_tokens)::BIGINT AS completion_tokens, sum(cost_usd) AS cost_usd, "
        "string_agg(DISTINCT price_source, '; ' ORDER BY price_source) AS price_sources, "
        "count(*) FILTER (cost_usd IS NULL) AS unpriced, median(latency_s) AS latency_s, "
        f"(SELECT count(*) FROM episodes WHERE {of_model}) AS episodes "
        f"FROM calls WHERE edition = {quote(edition)} AND role = 'player'"
    )
    return rows[0]


def _pick_episode(catalog: Catalog, edition: str, model: str) -> str:
    """An episode to look at: an unsolved one if there is any."""
    _, rows = catalog.query(
        f"SELECT episode_id FROM episodes WHERE edition = {quote(edition)} AND player = {quote(model)} "
        "ORDER BY success, turns DESC, episode_id LIMIT 1"
    )
    return str(rows[0][0])
