"""Render what models would be shown of an edition before it is published: afterwards it is never changed.

A refresh of programs alone renders no prompt: without this a missing template is found when the first model
plays.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.prompts.render import template_hash
from perennial.schemas.errors import InvalidOption, PerennialError, UnusableBenchmark, in_one_line, shorten
from perennial.schemas.game import Seat
from perennial.schemas.ids import derive_rng
from perennial.schemas.plan import EditionPlan
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.store.store import Store

_MOST = 100  # questions, one of each domain and setting


def show_questions(
    plan: EditionPlan, protocol: Mapping[str, object], files: Mapping[str, Path], folder: Path
) -> None:
    """Render what a model would be shown of one question of each domain and setting, in every variant.

    `files` are the edition's tables in the scratch `folder`. Raises UnusableBenchmark, which names the
    question, where a template is missing or cannot be rendered.
    """
    benchmark = find_benchmark(plan.benchmark)
    staged = _link_as_published(plan.edition, files, folder / "staged")
    ids = _choose_questions(files["instances"])
    shown = "its seats"
    try:
        for number, seat in enumerate(benchmark.take_seats(staged, plan.edition, ids, protocol)):
            shown = f"question {seat.instance_id}"
            for variant in ("", *benchmark.variants):
                opening = seat.start().opening(variant)
                if not opening.template_hash:
                    template_hash(opening.template)
            if number == 0 and not benchmark.one_shot:
                _show_second_message(benchmark, seat)
    except Exception as error:
        if isinstance(error, PerennialError) and not isinstance(error, InvalidOption):
            raise
        # What a plugin raises is its own affair: a template's syntax, a value that it lacks, anything.
        raise UnusableBenchmark(
            f"benchmark {plan.benchmark!r} cannot show {shown} to a model: {type(error).__name__}: "
            f"{shorten(in_one_line(error), 200)}; nothing was published: correct the benchmark, and the same "
            "command resumes"
        ) from error


def _link_as_published(edition: str, files: Mapping[str, Path], folder: Path) -> Store:
    """Return a root in which the tables have the names that seats read them by once they are published."""
    for name, file in files.items():
        link = folder / table_file(name, edition)
        link.parent.mkdir(parents=True)
        link.symlink_to(file.resolve())
    return Store(str(folder))


def _choose_questions(instances: Path) -> Sequence[str]:
    """Return a question of each domain and setting, at most so many."""
    import pyarrow.parquet as pq

    rows = pq.read_table(instances, columns=["instance_id", "domain", "setting"])
    first = rows.group_by(["domain", "setting"], use_threads=False).aggregate([("instance_id", "min")])
    return sorted(first["instance_id_min"].to_pylist())[:_MOST]


def _show_second_message(benchmark: Benchmark, seat: Seat) -> None:
    """Render what follows a program's first move, where the game goes on."""
    for program in benchmark.programs.values():
        game = seat.start()
        try:
            move = program.start(game, derive_rng(0, "show questions", 0))
        except InvalidOption:
            continue  # This program cannot play here.
        if game.take(move()) is not None:
            game.next_message()
            return
