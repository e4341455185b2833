"""The tasks of Inspect, one per installed benchmark: `inspect eval perennial/kumo --model PROVIDER/MODEL`.

Inspect loads this module by its entry point (group `inspect_ai`), and with it solver, scorer and metrics.
"""

import subprocess
import sys
from typing import TYPE_CHECKING

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError  # shown in one line; no public module has it
from inspect_ai.dataset import MemoryDataset, Sample

from perennial.flows.inspect_tasks.play import chat_messages, grade, metrics_of, play
from perennial.flows.inspect_tasks.record import (
    PACKAGE,
    RECORD,
    find_edition,
    has_edition,
    in_our_name,
    open_questions,
    player_name,
)
from perennial.schemas.benchmark import benchmarks, find_declaration
from perennial.schemas.errors import InvalidOption, PerennialError
from perennial.schemas.game import TOOLS
from perennial.tasks.play import open_game

if TYPE_CHECKING:
    from collections.abc import Callable


# Written out, since `inspect list tasks` and the register of Inspect Evals read files without running them.


@task(name="perennial/kumo")
@in_our_name
def kumo(
    edition: str = "latest", root: str = "", instances: int = 0, variant: str = "", size: str = ""
) -> Task:
    """Play a published edition of KUMO: find the truth by tests, over several turns."""
    return make_task("kumo", edition, root, instances, variant, size)


@task(name="perennial/beyondbench")
@in_our_name
def beyondbench(
    edition: str = "latest", root: str = "", instances: int = 0, variant: str = "", size: str = ""
) -> Task:
    """Play a published edition of BeyondBench: algorithmic problems whose answers are checked."""
    return make_task("beyondbench", edition, root, instances, variant, size)


@task(name="perennial/knowlogic")
@in_our_name
def knowlogic(
    edition: str = "latest", root: str = "", instances: int = 0, variant: str = "", size: str = ""
) -> Task:
    """Play a published edition of KnowLogic: commonsense and logic, in Chinese and English."""
    return make_task("knowlogic", edition, root, instances, variant, size)


@task(name="perennial/a2rbench")
@in_our_name
def a2rbench(
    edition: str = "latest", root: str = "", instances: int = 0, variant: str = "", size: str = ""
) -> Task:
    """Play a published edition of A2RBench: infer a hidden rule from examples and apply it."""
    return make_task("a2rbench", edition, root, instances, variant, size)


def _define(benchmark: str) -> "Callable[..., Task]":
    """Define the task of a benchmark of another package."""

    def play_edition(
        edition: str = "latest", root: str = "", instances: int = 0, variant: str = "", size: str = ""
    ) -> Task:
        return make_task(benchmark, edition, root, instances, variant, size)

    play_edition.__doc__ = f"Play a published edition of {benchmark} with models of Inspect."
    made: Callable[..., Task] = task(name=f"{PACKAGE}/{benchmark}")(in_our_name(play_edition))
    return made


def make_task(
    benchmark: str,
    edition: str = "latest",
    root: str = "",
    instances: int = 0,
    variant: str = "",
    size: str = "",
) -> Task:
    """Return the task of an edition of the benchmark.

    `edition` is a name or `latest`, in the data root `root` ("": as for commands); `instances` plays so many,
    spread evenly over domains (0: all); `variant` is another way of asking ("": the usual one). With a `size`
    a root without an edition of the benchmark gets one of that size first. Raises Inspect's PrerequisiteError
    where there is no such edition.
    """
    try:
        return _make_task(benchmark, str(edition), str(root), instances, str(variant), str(size))
    except PerennialError as error:
        raise PrerequisiteError(f"perennial: {error}") from None


def _make_task(benchmark: str, edition: str, root: str, instances: int, variant: str, size: str) -> Task:
    if size and not has_edition(root, benchmark):
        _grow(benchmark, root, size)
    name = find_edition(root, edition, benchmark)
    questions = open_questions(root, name)
    variants = [name for name in questions.benchmark.variants if name != TOOLS]
    if variant and variant not in variants:
        raise InvalidOption(f"variant {variant!r}: expected one of {', '.join(variants) or 'none'}")
    if type(instances) is not int or not 0 <= instances <= len(questions.seats):
        raise InvalidOption(f"instances {instances!r}: edition {name!r} has {len(questions.seats):,} to play")
    player = questions.player(player_name(variant, "model"), {})
    ids = list(questions.seats)[: instances or None]
    samples = [
        Sample(
            input=chat_messages(open_game(questions.seats[id_].start(), player).messages),
            id=id_,
            metadata=questions.columns[id_],
        )
        for id_ in ids
    ]
    location = {"root": root, "edition": name}
    return Task(
        dataset=MemoryDataset(samples, name=name),
        solver=play(**location, variant=variant),
        scorer=grade(**location, variant=variant),
        metrics=metrics_of(**location),
        metadata={
            RECORD: {
                "edition": name,
                "benchmark": benchmark,
                "canary": questions.plan.canary,
                "variant": variant,
            }
        },
    )


def _grow(benchmark: str, root: str, size: str) -> None:
    """Grow an edition of that size by `perennial refresh`; only the program of the floor answers it.

    A process of its own: a task may be made inside of Inspect's event loop, and Prefect has another one.
    """
    floor = find_declaration(benchmark).floor
    players = ["--players", floor.player] if floor else []
    root_flags = ["--root", root] if root else []
    command = [
        sys.executable,
        "-m",
        "perennial.flows.cli.app",
        "refresh",
        "--benchmark",
        benchmark,
        "--size",
        size,
    ]
    done = subprocess.run([*command, *players, *root_flags], check=False)
    if done.returncode:
        raise InvalidOption(f"no edition of size {size!r} was grown: `perennial refresh` says why above")


_WRITTEN_OUT = ("kumo", "beyondbench", "knowlogic", "a2rbench")
for _name in (name for name in benchmarks() if name not in _WRITTEN_OUT):
    _define(_name)
