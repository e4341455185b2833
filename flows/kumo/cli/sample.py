"""`perennial domains sample`: draw task instances of one configuration."""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perennial.flows.console.progress import show_steps
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Terminal
from perennial.schemas.errors import PerennialError
from perennial.schemas.kumo.things import Instance
from perennial.tasks.kumo.encoding import EncodedConfig, encode_config, encode_instance
from perennial.tasks.kumo.sampling.request import SamplingRequest, check_request
from perennial.tasks.kumo.sampling.sample import sample_instances

if TYPE_CHECKING:
    from perennial.warehouse.editions.issued_ids import IdSet

_GUESSED = 5_000  # instances that the rate of a guess is taken over: looking at all would slow large samples


def sample(
    config: Annotated[str, typer.Option(metavar="NAME|FILE", help="Bundled domain, or a .json file.")],
    truths: Annotated[int, typer.Option(help="Truths per instance.")],
    actions: Annotated[int, typer.Option(help="Actions per instance.")],
    count: Annotated[int, typer.Option(help="Number of distinct instances.")],
    out: Annotated[Path, typer.Option(help="File to write, JSON Lines.")],
    valid: Annotated[int, typer.Option(help="Valid truths per instance.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed; the same one gives the same file.")] = 0,
    min_expected_steps: Annotated[
        float | None, typer.Option(help="Minimum number of expected steps of an instance. Default: 1.")
    ] = None,
    require_test: Annotated[
        bool | None,
        typer.Option(help="Leave out what lists, rules and promise answer without a test. Default: yes."),
    ] = None,
    sampler: Annotated[
        str | None, typer.Option(help="balanced, or kumo-2025: as in the paper. Default: balanced.")
    ] = None,
    sparse: Annotated[
        str, typer.Option(metavar="K,B", help="Leave out rules, as `domains sparse` does.")
    ] = "",
    workers: Annotated[
        int, typer.Option(min=1, help="Number of processes; the result does not depend on it.")
    ] = 1,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Draw distinct task instances that no edition published in the data root holds.

    If fewer instances exist, the exit code is 3 and the file holds those found.
    """
    from perennial.flows.console.input_files import require_file_place, write_lines
    from perennial.flows.kumo.kernels import prepare_kernels
    from perennial.flows.kumo.planning.domain_choice import choose_domain
    from perennial.schemas.kumo.settings import KumoSettings
    from perennial.schemas.kumo.things import AS_PUBLISHED, Setting
    from perennial.schemas.settings import load_settings
    from perennial.tasks.kumo.guessing import is_guessed
    from perennial.tasks.kumo.validation import refuse_unsafe
    from perennial.tasks.kumo.worlds import Sparsity, make_sparse
    from perennial.warehouse.catalog.catalog import published_editions
    from perennial.warehouse.editions.issued_ids import issued_instances

    flags = {
        "benchmark": "kumo",
        "min_expected_steps": min_expected_steps,
        "require_test": require_test,
        "sampler": sampler,
    }
    chosen = load_settings(flags, "sample")
    assert isinstance(chosen, KumoSettings)
    console = Terminal(stderr=True, soft_wrap=True)
    seed_config, _ = choose_domain(config)
    for finding in refuse_unsafe(seed_config):
        console.print(f"warning: {finding.message}", style="yellow")
    if sparse:
        seed_config = make_sparse(seed_config, str(Sparsity.parse(sparse)))
    require_file_place("--out", out)
    store = data_root(root)
    encoded = encode_config(seed_config)
    request = SamplingRequest(
        Setting(truths, actions, valid),
        count,
        seed,
        chosen.min_expected_steps,
        chosen.require_test,
        sampler=chosen.chosen_sampler(),
    )
    check_request(encoded, request, workers)
    with show_steps("sample") as step:
        step("preparing sampling (compiled on first use, then cached)")
        console.print(prepare_kernels("sampling"))
    started = time.perf_counter()
    with show_steps("sample") as step:
        step(f"{count:,} instances of {seed_config.name}")

        def show(done: int) -> None:
            step(f"{done:,} of {count:,} instances of {seed_config.name}")

        issued = issued_instances(store, published_editions(store))
        is_published = request.sampler == AS_PUBLISHED
        stream = SampleStream(encoded, request, issued, workers, show, as_lines=not is_published)
        guessed: list[bool] = []

        def look_at(instance: Instance) -> str:
            if len(guessed) < _GUESSED:
                guessed.append(is_guessed(encode_instance(encoded, instance)))
            return json.dumps(instance.as_json(), ensure_ascii=False)

        write_lines(out, map(look_at, stream) if is_published else stream)
    seconds = time.perf_counter() - started
    summary = {
        "domain": seed_config.name,
        "sampler": request.sampler,
        "asked": count,
        "written": stream.yielded,
        "out": str(out),
        "seconds": round(seconds, 3),
        **stream.counts,
        "guess_rate": sum(guessed) / len(guessed) if guessed else None,
    }
    if as_json:
        sys.stdout.write(json.dumps(summary, indent=1) + "\n")
    else:
        console.print(
            f"{summary['written']:,} instances of {seed_config.name} in {out}, {seconds:.2f} s; "
            f"{summary['duplicates']:,} duplicates and {summary['too_easy']:,} too easy ones were drawn again"
        )
        if summary["checked"]:
            console.print(
                f"python-sat judged {summary['checked']:,} of {summary['lists']:,} lists again, and "
                f"disagreed on {summary['disagreements']:,}"
            )
        if guessed:
            console.print(
                f"without a test, the truth that the fewest outcome states rule out is right in "
                f"{summary['guess_rate']:.3f} of {len(guessed):,} instances (chance {valid / truths:.3f}); "
                "--sampler balanced leaves it at chance"
            )
    if stream.shortfall is not None:
        raise stream.shortfall


# A sample of any size in bounded memory: chunk after chunk, the instances of one large request.


# Large enough that starting worker processes for each costs little beside it.
CHUNK = 50_000


class SampleStream:
    """The instances of a request, or their lines, one by one; of those handed out, the ids alone are held.

    They are those that `sample_instances` returns for the whole request. `yielded`, `counts` (those of
    `SamplingCounts`, summed over chunks) and `shortfall` are complete once the stream is at its end.
    """

    def __init__(
        self,
        encoded: EncodedConfig,
        request: SamplingRequest,
        issued: "IdSet",
        workers: int,
        progress: Callable[[int], None],
        as_lines: bool = False,
    ) -> None:
        self._encoded, self._request = encoded, request
        self._workers, self._progress = workers, progress
        from perennial.tasks.kumo.sampling.draw import CandidateSource
        from perennial.warehouse.editions.issued_ids import EitherSet, IdSet

        self._source = CandidateSource(encoded, request, as_lines)
        self._drawn = IdSet()
        self._known = EitherSet(issued, self._drawn)
        self.yielded = 0
        self.counts: Counter[str] = Counter()
        self.shortfall: PerennialError | None = None

    def __iter__(self) -> Iterator[Any]:
        while self.shortfall is None and self.yielded < self._request.count:
            yield from self._next_chunk()

    def _next_chunk(self) -> tuple[Any, ...]:
        before = self.yielded
        request = replace(
            self._request,
            count=min(CHUNK, self._request.count - before),
            first_index=self._request.first_index + before,
            asked_in_all=self._request.count,
            found_before=before,
        )
        sample = sample_instances(
            self._encoded,
            request,
            known_ids=self._known,
            workers=self._workers,
            progress=lambda done: self._progress(before + done),
            source=self._source,
        )
        self._drawn.update(sample.ids)
        self.yielded += len(sample.ids)
        self.counts.update(asdict(sample.counts))
        self.shortfall = sample.shortfall
        return sample.instances
