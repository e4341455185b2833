"""`perennial episode`: a whole conversation of a player, model or program, in one step."""

from typing import Annotated

import typer

from perennial.flows.cli.look.query import existing_root
from perennial.flows.console.root_option import RootOption
from perennial.flows.console.row_formats import Format, JsonOption, choose_format, print_rows
from perennial.flows.console.terminal import Terminal, on_one_line
from perennial.schemas.errors import UnreadableInput
from perennial.schemas.rows import Row
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.catalog.confinement import quote

_PREFIX = "ep_"
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


def episode(
    episode_id: Annotated[
        str, typer.Argument(metavar="EPISODE_ID", help="The first letters of its id are enough.")
    ],
    root: RootOption = None,
    format_: Annotated[
        Format, typer.Option("--format", help="A page to read, or a row per turn (view transcripts).")
    ] = Format.table,
    as_json: JsonOption = False,
) -> None:
    """Print an episode whole: what the player was shown, its reasoning and its reply, turn by turn.

    Models, programs and imported runs are printed alike. `perennial calls --episode ID` lists the calls.

    Example: perennial episode ep_71baeb1c
    """
    format_ = choose_format(format_, as_json)
    catalog = open_catalog(existing_root(root))
    found = quote(find_episode(catalog, episode_id))
    names, rows = catalog.query(
        f"FROM transcripts WHERE episode_id = {found} ORDER BY edition, evaluation, turn"
    )
    if format_ is not Format.table:
        print_rows(names, rows, format_)
        return
    columns = ", ".join((*_OF_THE_EPISODE, *_MORE))
    heads = catalog.query(f"SELECT {columns} FROM episodes_wide WHERE episode_id = {found} ORDER BY ALL")
    turns = [dict(zip(names, row, strict=True)) for row in rows]
    for head in (dict(zip(heads[0], row, strict=True)) for row in heads[1]):
        place = head["edition"], head["evaluation"]
        _print_page(head, [turn for turn in turns if (turn["edition"], turn["evaluation"]) == place])


def find_episode(catalog: Catalog, given: str) -> str:
    """Return the id of the published episode that begins so; raise UnreadableInput for none or several."""
    # `e`, `ep` and `ep_` are the beginning of every id.
    prefix = given if given.startswith(_PREFIX) else "" if _PREFIX.startswith(given) else _PREFIX + given
    found = [
        str(id_)
        for (id_,) in catalog.query(
            f"SELECT DISTINCT episode_id FROM episodes WHERE starts_with(episode_id, {quote(prefix)}) "
            f"ORDER BY ALL LIMIT {_MOST_NAMED + 1}"
        )[1]
    ]
    if prefix in found or len(found) == 1:
        return found[0]
    if not found:
        raise UnreadableInput(
            f"no episode {given!r} is published in this root: "
            '`perennial query "SELECT episode_id, player, status FROM episodes"` lists those there are'
        )
    shown = ", ".join(found[:_MOST_NAMED]) + (", ..." if len(found) > _MOST_NAMED else "")
    raise UnreadableInput(f"several episodes begin with {given!r}: {shown}; give more of its letters")


def _print_page(head: Row, turns: list[Row]) -> None:
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
                console.print()
                console.rule(f"turn {turn['turn']}: {part}{call if part == 'reply' else ''}", align="left")
                console.print(turn[part], soft_wrap=True)
    if turns and turns[-1]["feedback"] is not None:
        console.print()
        console.rule("what came back", align="left")
        console.print(turns[-1]["feedback"], soft_wrap=True)
