"""`perennial trajectories`: golden play as chats to train on."""

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.console.progress import show_steps
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Terminal
from perennial.schemas.rows import JsonObject

if TYPE_CHECKING:
    from perennial.tasks.kumo.encoding import EncodedConfig
    from perennial.tasks.kumo.sampling.request import SamplingRequest
    from perennial.tasks.kumo.training import Policy
    from perennial.warehouse.editions.issued_ids import IdSet

_CHUNK = 2_000  # instances that are solved at a time


def trajectories(
    config: Annotated[str, typer.Option(metavar="NAME|FILE", help="Bundled domain, or a .json file.")],
    out: Annotated[Path, typer.Option(help="File to write, JSON Lines.")],
    setting: Annotated[str, typer.Option(help="Sizes, separated by commas: easy, hard, or NxM.")] = "easy",
    count: Annotated[int, typer.Option(help="Trajectories per setting.")] = 1_000,
    policy: Annotated[str, typer.Option(help="Whose play: algorithm-3 or optimum.")] = "algorithm-3",
    validation: Annotated[
        int, typer.Option(min=0, help="Number of trajectories per setting, the first ones, for validation.")
    ] = 50,
    seed: Annotated[int, typer.Option(help="Seed; the same one gives the same file.")] = 0,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="Threads that search; the file does not depend on it. Default: one per core."
        ),
    ] = None,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Write golden trajectories as chats: the messages of `symbolic:MODEL`, answered by a program.

    No instance is one of an edition published in the data root, and no line holds an edition's canary. The
    file is written whole or not at all.

    Example: perennial trajectories --config medical_diagnosis --setting easy --count 1000 --out easy.jsonl
    """
    from perennial.flows.console.input_files import require_file_place, write_lines
    from perennial.flows.kumo.kernels import prepare_kernels
    from perennial.flows.kumo.planning.domain_choice import choose_domain
    from perennial.schemas.errors import InvalidOption, join_choices
    from perennial.schemas.kumo.things import DEFAULT_SAMPLER, Setting
    from perennial.schemas.settings.form import split_names
    from perennial.tasks.kumo.encoding import encode_config
    from perennial.tasks.kumo.sampling.request import SamplingRequest, check_request
    from perennial.tasks.kumo.training import POLICIES
    from perennial.tasks.kumo.validation import refuse_unsafe
    from perennial.warehouse.catalog.catalog import published_editions
    from perennial.warehouse.editions.issued_ids import issued_instances

    chosen = next((name for name in POLICIES if name == policy), None)
    if chosen is None:
        raise InvalidOption(f"--policy {policy}: expected {join_choices(POLICIES)}")
    if validation >= count:
        raise InvalidOption(
            f"--validation {validation}: with --count {count} none is left to train on; use fewer"
        )
    settings = [Setting.parse(name) for name in dict.fromkeys(split_names(setting))]
    for size in settings:
        if size.n_valid > 1:
            raise InvalidOption(
                f"--setting {size.name}: trajectories are drawn balanced, and such instances have one valid "
                "truth; name a setting without v"
            )
    seed_config, _ = choose_domain(config)
    refuse_unsafe(seed_config)
    require_file_place("--out", out)
    encoded = encode_config(seed_config)
    requests = [
        SamplingRequest(size, count, seed, require_test=True, sampler=DEFAULT_SAMPLER) for size in settings
    ]
    for request in requests:
        check_request(encoded, request, 1)
    store = data_root(root)
    console = Terminal(stderr=True, soft_wrap=True)
    with show_steps("trajectories") as step:
        step("preparing sampling and search (compiled on first use, then cached)")
        console.print(prepare_kernels())
    issued = issued_instances(store, published_editions(store))
    written: Counter[str] = Counter()
    started = time.perf_counter()
    with show_steps("trajectories") as step:

        def lines() -> Iterator[str]:
            threads = workers or os.cpu_count() or 1
            for request in requests:
                name = request.setting.name

                def show_drawn(drawn: int, name: str = name) -> None:
                    step(f"{drawn:,} of {count:,} {name} instances of {seed_config.name} drawn")

                for record in _draw(encoded, request, chosen, issued, threads, show_drawn):
                    split = "validation" if written[name] < validation else "train"
                    written[name] += 1
                    if written[name] % _CHUNK == 0:
                        step(f"{written[name]:,} of {count:,} {name} trajectories of {seed_config.name}")
                    yield json.dumps({**record, "split": split}, ensure_ascii=False)

        write_lines(out, lines())
    seconds = time.perf_counter() - started
    summary: JsonObject = {"domain": seed_config.name, "policy": policy, "out": str(out)}
    if as_json:
        summary |= {"written": dict(written), "validation": validation, "seconds": round(seconds, 3)}
        typer.echo(json.dumps(summary, indent=1))
    else:
        counts = ", ".join(f"{number:,} {name}" for name, number in written.items())
        console.print(
            f"{counts} trajectories of {seed_config.name} in {out}, {seconds:.1f} s; "
            f"the first {validation:,} of each setting are for validation"
        )


def _draw(
    encoded: "EncodedConfig",
    request: "SamplingRequest",
    policy: "Policy",
    issued: "IdSet",
    threads: int,
    show_drawn: Callable[[int], None],
) -> Iterator[JsonObject]:
    """The trajectories of a setting; raise, after the last one, where fewer instances exist."""
    from perennial.flows.kumo.cli.sample import SampleStream
    from perennial.tasks.kumo.encoding import encode_instance
    from perennial.tasks.kumo.optimum import NODE_LIMIT
    from perennial.tasks.kumo.search.solve import solve_exactly
    from perennial.tasks.kumo.training import golden_trajectories

    stream = SampleStream(encoded, request, issued, 1, show_drawn)
    drawn = iter(stream)
    while instances := list(islice(drawn, _CHUNK)):
        boards = [encode_instance(encoded, instance) for instance in instances]
        nodes = NODE_LIMIT if policy == "optimum" else 0
        solutions = solve_exactly(boards, request.is_balanced, threads, nodes)
        yield from golden_trajectories(encoded, instances, boards, solutions, request.setting.name, policy)
    if stream.shortfall is not None:
        raise stream.shortfall
