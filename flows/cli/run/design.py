"""`perennial design`: how many domains, instances and runs an answer needs, before anything is paid."""

from typing import Annotated

import typer
from rich.table import Column, Table

from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Format, Terminal, print_json, print_rows
from perennial.schemas.benchmark import DEFAULT_BENCHMARK
from perennial.schemas.errors import InvalidOption
from perennial.schemas.rows import JsonObject

_LARGEST = 10_000_000
_SHARES = (0.5, 0.3, 0.2, 0.1)
_PRINTED = {
    "variance_parts": ("setting", "part", "variance", "variance_low", "variance_high"),
    "smallest_changes": ("setting", "player", "success_rate", "beyond_chance", "detectable_change"),
}


def design(
    edition: Annotated[
        str, typer.Argument(help="Print the variance of this edition, and the changes that are no chance.")
    ] = "",
    players: Annotated[
        str, typer.Option(metavar="NAMES", help="Players to compare, separated by commas.")
    ] = "",
    half_width: Annotated[
        float | None, typer.Option(help="Wanted half-width of a rate's 95% interval, such as 0.03.")
    ] = None,
    calls: Annotated[
        int | None, typer.Option(help="Model calls to spend on all players together, such as 2000.")
    ] = None,
    difference: Annotated[
        float | None, typer.Option(help="Difference between two players to find, such as 0.05.")
    ] = None,
    gap: Annotated[
        float | None, typer.Option(help="Contamination gap to find, public minus private rate, such as 0.08.")
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            help="Success rate that you expect: variance is largest at 0.5. Default: that of the models in "
            "the data root which is nearest to 0.5, else that of the measured runs; for --gap 0.5."
        ),
    ] = None,
    power: Annotated[float, typer.Option(help="Chance to find --difference or --gap if it is there.")] = 0.8,
    max_domains: Annotated[int, typer.Option(help="Maximum number of domains.")] = 200,
    benchmark: Annotated[str, typer.Option(help="The benchmark.")] = DEFAULT_BENCHMARK,
    setting: Annotated[
        str, typer.Option(help="Use published answers of this setting only. Default: all settings.")
    ] = "",
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Say how many domains, instances and runs a question needs, with calls and cost; nothing is played.

    Give an edition that models have answered for the parts of its variance, and for the smallest change to
    another edition that is no chance. Otherwise give one of --half-width, --calls, --difference and --gap.
    The variance of success comes from published evaluations in the data root where they hold 20 domains and
    two players, else from runs that the benchmark names; it is scaled to the success rate that you expect.
    Models that were not evaluated in the data root cost what their price in models.toml or prices.csv says,
    from brief replies to long ones.
    Many domains with few instances tell the most per call, and a second run tells less than another instance:
    bound the domains by --max-domains where you have fewer.

    Example: perennial design --players gpt-4.1,o4-mini --half-width 0.03
    """
    from perennial.flows.editions.design import plan_design, read_variance
    from perennial.flows.refresh.models import known_prices
    from perennial.schemas.settings import load_settings

    goals = {"--half-width": half_width, "--calls": calls, "--difference": difference, "--gap": gap}
    named = [option for option, value in goals.items() if value is not None]
    for option, value in {**goals, "--rate": rate}.items():
        if option != "--calls" and value is not None and not 0 < value < 1:
            raise InvalidOption(f"{option} {value:g}: expected a number between 0 and 1")
    if calls is not None and not 1 <= calls <= _LARGEST:
        raise InvalidOption(f"--calls {calls}: expected 1 to {_LARGEST:,}")
    if not 0.5 <= power < 1:
        raise InvalidOption(f"--power {power:g}: expected 0.5 or more, and less than 1")
    if not 2 <= max_domains <= 1000:
        raise InvalidOption(f"--max-domains {max_domains}: expected 2 to 1,000")
    if edition and not named:
        _print_variance(read_variance(data_root(root), edition), as_json)
        return
    if len(named) != 1 or edition:
        listed = " and ".join([*named, *([edition] if edition else [])]) or "none"
        raise InvalidOption(f"goal: {listed} given, expected one of {', '.join(goals)}, or an edition")
    if gap is not None:
        _print_shares(benchmark, gap, power, 0.5 if rate is None else rate, as_json)
        return
    names = [name.strip() for name in players.split(",") if name.strip()]
    if len(set(names)) < len(names):
        raise InvalidOption(f"--players {players!r}: expected each name once")
    store = data_root(root)
    document = plan_design(
        store,
        benchmark,
        setting,
        players=names,
        goal=(named[0], float(goals[named[0]] or 0)),
        power=power,
        max_domains=max_domains,
        prices=known_prices(load_settings({"benchmark": benchmark}, "design"), store),
        rate=rate,
    )
    if as_json:
        print_json(document)
        return
    _print(document)


def _print_shares(benchmark: str, gap: float, power: float, rate: float, as_json: bool) -> None:
    """Print how many instances detect the gap, by private share; domains need not be drawn for it."""
    from perennial.flows.benchmark import find_benchmark
    from perennial.tasks.statistics.contamination import ALPHA, count_origins

    find_benchmark(benchmark)
    origins = {share: count_origins(gap, power, share, rate) for share in _SHARES}
    if as_json:
        rows = [{"private_share": share, "origins": number} for share, number in origins.items()]
        document = {"benchmark": benchmark, "gap": gap, "power": power, "rate": rate, "shares": rows}
        print_json(document)
        return
    console = Terminal(soft_wrap=True)
    console.print(f"Contamination gap {gap:g} with power {power:g}")
    needed = [(share, n, round(share * n), n - round(share * n)) for share, n in origins.items()]
    print_rows(("private share", "origins", "private", "public"), needed, Format.table)
    console.print(
        f"for one model that solves {rate:g} of what it has not seen, at p <= {ALPHA:g}. An origin is an "
        "instance, or instances that are private together, such as the two languages of a question."
    )
    named = "" if benchmark == DEFAULT_BENCHMARK else f" --benchmark {benchmark}"
    console.print(f"next: perennial refresh{named} --private-share {_SHARES[0]:g} --dry-run")


def _print_variance(document: JsonObject, as_json: bool) -> None:
    from perennial.schemas.statistics import describe_populations

    if as_json:
        print_json(document)
        return
    console = Terminal(soft_wrap=True)
    for view, columns in _PRINTED.items():
        console.print(f"{view.replace('_', ' ')} of {document['edition']}")
        print_rows(columns, [[row[name] for name in columns] for row in document[view]], Format.table)
    populations = describe_populations(row["population"] for row in document["smallest_changes"])
    console.print(f"95% intervals and changes: {populations}")
    for reason in sorted({row["no_interval"] or "" for row in document["variance_parts"]} - {""}):
        console.print(f"no interval: {reason}")


def _print(document: JsonObject) -> None:
    console = Terminal(soft_wrap=True)
    chosen = document["design"]
    folded = (Column(overflow="fold"), Column(overflow="fold"))
    table = Table(*folded, title="Design", title_justify="left", show_header=False)
    for name in ("domains", "instances_per_domain", "runs"):
        table.add_row(name.replace("_", " "), f"{chosen[name]:,}")
    table.add_section()
    table.add_row("rate", f"± {chosen['half_width_rate']:.3f} (95% interval, new domains)")
    table.add_row("difference of two players", f"± {chosen['half_width_difference']:.3f}")
    table.add_row(
        "detectable difference",
        f"{chosen['detectable_difference']:.3f} with power {document['power']:g} at a success rate of "
        f"{document['expected_rate']:.2f}",
    )
    others = (f"{value:.3f} at {name}" for name, value in document["detectable_by_rate"].items())
    table.add_row("by success rate", ", ".join(others))
    table.add_section()
    for player in document["players"]:
        calls = f"{player['episodes']:,} episodes, {player['calls']:,} calls"
        table.add_row(player["player"], f"{calls}, {_cost_text(player)}")
    table.add_row("all", f"{document['calls']:,} calls, {_cost_text(document)}")
    console.print(table)
    for line in document["sources"]:
        console.print(line)
    next_step = f"next, in an edition of {chosen['domains']} domains: {document['command']}"
    console.print(next_step)


def _cost_text(costs: JsonObject) -> str:
    low, high = costs["cost_usd"], costs["cost_usd_high"]
    if low is None:
        return "cost unknown"
    return f"${low:,.2f}" if low == high else f"${low:,.2f} to ${high:,.2f}"
