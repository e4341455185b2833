"""`perennial calls`: list the model calls of a data root, or show one whole."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perennial.flows.cli.look.query import existing_root
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import (
    Format,
    Terminal,
    on_one_line,
    print_json,
    print_rows,
    prints_rows,
)
from perennial.schemas.errors import InvalidOption, UnreadableInput, count, join_choices, shorten
from perennial.schemas.model_calls import CALL_STATUSES, ROLES, Spent
from perennial.schemas.rows import Row
from perennial.warehouse.catalog.catalog import Catalog, open_catalog, published_units
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.editions.selectors import LATEST, select_unit
from perennial.warehouse.ledger.reading import LISTED_COLUMNS, CallFilter, CallTotals, LedgerReader
from perennial.warehouse.ledger.schema import ledger_file
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    from rich.console import JustifyMethod


# `perennial episode`: a whole conversation of a player, model or program, in one step.

_PREFIX_EPISODE = "ep_"
_MOST_NAMED = 5
_OF_THE_EPISODE = (
    "edition",
    "evaluation",
    "episode_id",
    "player",
    "run",
    "version",
    "status",
    "success",
    "score",
    "answer",
    "right_answer",
)
_MORE = ("turns", "tokens", "cost_usd", "instance_id", "benchmark", "domain", "setting")
_PARTS = ("shown", "reasoning", "reply")


@prints_rows
def episode(
    episode_id: Annotated[
        str, typer.Argument(metavar="EPISODE_ID", help="The first letters of its id are enough.")
    ],
    root: RootOption = None,
    format_: Annotated[
        Format, typer.Option("--format", help="A page to read, or a row per turn (view transcripts).")
    ] = Format.table,
) -> None:
    """Print an episode whole: what the player was shown, its reasoning and its reply, turn by turn.

    Models, programs and imported runs are printed alike. `perennial calls --episode ID` lists the calls.

    Example: perennial episode ep_71baeb1c
    """
    catalog = open_catalog(existing_root(root))
    quoted_id = quote(find_episode(catalog, episode_id))
    replies = f"FROM transcripts WHERE episode_id = {quoted_id} ORDER BY edition, evaluation, turn"
    if format_ is not Format.table:
        print_rows(*catalog.query(replies), format_)
        return
    columns = ", ".join((*_OF_THE_EPISODE, *_MORE))
    heads = f"SELECT {columns} FROM episodes_wide WHERE episode_id = {quoted_id} ORDER BY ALL"
    turns = catalog.records(replies)
    for head in catalog.records(heads):
        unit = head["edition"], head["evaluation"]
        _print_episode_page(head, [turn for turn in turns if (turn["edition"], turn["evaluation"]) == unit])


def find_episode(catalog: Catalog, typed: str) -> str:
    """Complete the beginning of an episode's id; raise UnreadableInput if none or several begin so."""
    # `e`, `ep` and `ep_` are the beginning of every id.
    prefix = (
        typed
        if typed.startswith(_PREFIX_EPISODE)
        else ""
        if _PREFIX_EPISODE.startswith(typed)
        else _PREFIX_EPISODE + typed
    )
    matches = catalog.query(
        f"SELECT DISTINCT episode_id FROM episodes WHERE starts_with(episode_id, {quote(prefix)}) "
        f"ORDER BY ALL LIMIT {_MOST_NAMED + 1}"
    )[1]
    absent = (
        f"no episode {typed!r} is published in this root: "
        '`perennial query "SELECT episode_id, player, status FROM episodes"` lists those there are'
    )
    return _choose_id("episodes", typed, prefix, [str(id_) for (id_,) in matches], absent)


def _choose_id(what: str, typed: str, prefix: str, matches: list[str], absent: str) -> str:
    """Choose the only id that begins with the prefix, or the one that is the prefix: it comes first."""
    if prefix in matches or len(matches) == 1:
        return matches[0]
    if not matches:
        raise UnreadableInput(absent)
    listed = ", ".join(matches[:_MOST_NAMED]) + (", ..." if len(matches) > _MOST_NAMED else "")
    raise UnreadableInput(f"several {what} begin with {typed!r}: {listed}; give more of its letters")


def _print_episode_page(head: Row, turns: list[Row]) -> None:
    console = Terminal()
    width = max(map(len, head))
    for name, value in head.items():
        console.print(f"{name:<{width}}  {'-' if value is None else on_one_line(str(value))}", soft_wrap=True)
    if not turns:
        console.print("\nthe import holds no turns of this run")
    for turn in turns:
        call = f", {turn['call_id']}" if turn["call_id"] else ""
        for part in _PARTS:
            if turn[part] is not None:
                title = f"turn {turn['turn']}: {part}{call if part == 'reply' else ''}"
                _print_part(console, title, turn[part])
    if turns and turns[-1]["feedback"] is not None:
        _print_part(console, "what came back", turns[-1]["feedback"])


_PREFIX = "call_"
_SHORT_ID = len(_PREFIX) + 10
_ERROR_WIDTH = 100
_FILTERS = ("role", "model", "status", "edition", "template", "contains")
_WIDEST = 10_000  # a line is as long as it needs, as those of `perennial query` are
_LONG_FIELDS = ("messages", "reasoning", "content", "raw")
_NUMBERS = ("prompt_tokens", "completion_tokens", "cost_usd", "latency_s", "attempts")
_HEADINGS = {"prompt_tokens": "prompt", "completion_tokens": "completion", "latency_s": "seconds"}


@prints_rows
def calls(
    call_id: Annotated[
        str | None,
        typer.Argument(
            metavar="CALL_ID", help="Show this call in full; the first letters of its id are enough."
        ),
    ] = None,
    role: Annotated[str | None, typer.Option(help=f"Only calls in this role: {', '.join(ROLES)}.")] = None,
    model: Annotated[str | None, typer.Option(help="Only calls of this model.")] = None,
    status: Annotated[
        str | None, typer.Option(help=f"Only calls with this status: {', '.join(CALL_STATUSES)}.")
    ] = None,
    edition: Annotated[
        str | None, typer.Option(help="Only calls of this edition, its evaluations included.")
    ] = None,
    episode: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="Only calls of this published episode; the first letters are enough."
        ),
    ] = None,
    template: Annotated[str | None, typer.Option(help="Only calls whose prompt is of this template.")] = None,
    contains: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only calls with this text in the reply.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="List at most this many calls, the newest first.")] = 20,
    root: RootOption = None,
    format_: Format = Format.table,
) -> None:
    """List the model calls of a data root, newest first, or show one in full.

    Example: perennial calls --role player --status truncated --limit 5
    """
    _check("--role", role, ROLES)
    _check("--status", status, CALL_STATUSES)
    if edition is not None and edition.startswith(LATEST):
        store = data_root(root)
        edition = select_unit(store, edition, published_units(store))
    call_ids = None if episode is None else _calls_of(data_root(root), episode)
    wanted = CallFilter(role, model, status, edition, template, contains, call_ids)
    if call_id is not None and wanted != CallFilter():
        raise InvalidOption("CALL_ID shows one call in full: give no --role, --model or other filter with it")
    with _open_ledger(root) as ledger:
        if call_id is None:
            # What was sent is known by edition alone.
            spent = ledger.spending(edition) if wanted == CallFilter(edition=edition) else None
            _print_list(wanted, ledger.newest(wanted, limit), ledger.totals(wanted), format_, spent)
        else:
            _print_call(ledger.call(_whole_id(ledger, call_id)), format_)


def _calls_of(store: Store, typed: str) -> tuple[str, ...]:
    catalog = open_catalog(store)
    episode_id = quote(find_episode(catalog, typed))
    rows = catalog.query(
        f"SELECT call_id FROM turns WHERE episode_id = {episode_id} AND call_id IS NOT NULL"
    )[1]
    return tuple(str(call_id) for (call_id,) in rows)


def _check(option: str, value: str | None, choices: tuple[str, ...]) -> None:
    if value is not None and value not in choices:
        raise InvalidOption(
            f"{option} {value!r}: expected {join_choices(choices)} (see `perennial calls --help`)"
        )


def _open_ledger(root: str | None) -> LedgerReader:
    store = data_root(root)
    path = ledger_file(store.root)
    if not path.exists():
        raise UnreadableInput(
            f"no model has been called in {store.root!r}: run `perennial refresh` with a model first, "
            "or name another --root"
        )
    return LedgerReader(path)


def _whole_id(ledger: LedgerReader, typed: str) -> str:
    prefix = typed if typed.startswith(_PREFIX) else _PREFIX + typed
    matches = ledger.ids_that_begin(prefix, _MOST_NAMED + 1)
    absent = f"no model call {typed!r} in this root: `perennial calls` lists those there are"
    return _choose_id("model calls", typed, prefix, matches, absent)


def _print_list(
    wanted: CallFilter, rows: list[tuple[Any, ...]], totals: CallTotals, format_: Format, spent: Spent | None
) -> None:
    if format_ is not Format.table:
        print_rows(list(LISTED_COLUMNS), rows, format_)
        return
    from rich.table import Table
    from rich.text import Text

    console = Terminal()
    if rows:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in LISTED_COLUMNS:
            justify: JustifyMethod = "right" if name in _NUMBERS else "left"
            table.add_column(_HEADINGS.get(name, name), justify=justify, no_wrap=True)
        for row in rows:
            table.add_row(*(Text(_cell(*item)) for item in zip(LISTED_COLUMNS, row, strict=True)))
        Terminal(width=_WIDEST).print(table)
    console.print(_total_line(wanted, len(rows), totals), soft_wrap=True)
    if spent is not None and spent.requests:
        from perennial.tasks.llm.limits import describe_spending

        console.print(f"for --max-calls and --max-cost: {describe_spending(spent)}", soft_wrap=True)


def _total_line(wanted: CallFilter, n_printed: int, totals: CallTotals) -> str:
    """Calls, tokens and cost of all calls that match, with the number over which each is known."""
    if totals.calls == 0:
        named = ((name, getattr(wanted, name)) for name in _FILTERS)
        filters = ", ".join(f"{name} {value!r}" for name, value in named if value is not None)
        return f"no model call matches these filters{filters and f': {filters}'}"
    counted = count(totals.calls, "call")
    listed = counted if n_printed == totals.calls else f"{counted}, {n_printed:,} of them listed"
    return f"{listed}; {_tokens(totals)}; {_cost(totals)}"


def _tokens(totals: CallTotals) -> str:
    if totals.tokens_known == 0:
        return "tokens unknown"
    sums = f"{totals.prompt_tokens:,} prompt and {totals.completion_tokens:,} completion tokens"
    return sums + _note_known(totals.tokens_known, totals.calls)


def _cost(totals: CallTotals) -> str:
    if totals.cost_known == 0:
        return "cost unknown"
    return f"cost ${totals.cost_usd:,.4f}" + _note_known(totals.cost_known, totals.calls)


def _note_known(n_known: int, calls: int) -> str:
    return "" if n_known == calls else f" (known for {n_known:,} of {calls:,})"


def _cell(name: str, value: Any) -> str:
    if name == "error":
        return "" if value is None else on_one_line(shorten(value, _ERROR_WIDTH))
    if value is None:
        return "?"
    if name == "call_id":
        return str(value)[:_SHORT_ID]
    if name == "stored_at":
        return str(value)[:19].replace("T", " ")
    if name == "cost_usd":
        return f"{value:.6f}"
    if name == "latency_s":
        return f"{value:.2f}"
    return on_one_line(str(value))


def _print_call(call: Row, format_: Format) -> None:
    if format_ is Format.json:
        print_json(call)
    elif format_ is Format.csv:
        print_rows(list(call), [tuple(call.values())], format_)
    else:
        _print_page(Terminal(), call)


def _print_page(console: Terminal, call: Row) -> None:
    short = {name: value for name, value in call.items() if name not in _LONG_FIELDS}
    width = max(map(len, short))
    for name, value in short.items():
        text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value
        printed = "-" if text is None else on_one_line(str(text))
        console.print(f"{name:<{width}}  {printed}", soft_wrap=True)
    for number, message in enumerate(call["messages"], start=1):
        rest = {name: value for name, value in message.items() if name not in ("role", "content")}
        more = f" {json.dumps(rest)}" if rest else ""
        _print_part(console, f"message {number}: {message['role']}{more}", message["content"])
    for title, name in (("reasoning", "reasoning"), ("reply", "content"), ("body as received", "raw")):
        if call[name] is not None:
            _print_part(console, title, call[name])


def _print_part(console: Terminal, title: str, text: str) -> None:
    console.print()
    console.rule(title, align="left")
    console.print(text, soft_wrap=True)
