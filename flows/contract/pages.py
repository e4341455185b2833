"""A benchmark's own pages of `perennial web`, run without a server or a browser."""

import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING

from perennial.flows.benchmark import Benchmark
from perennial.schemas.errors import InvalidOption, UnusableBenchmark

if TYPE_CHECKING:
    from perennial.flows.contract.sample import Sample

_PARTS = (Benchmark.show_instance, Benchmark.show_reference)


def check_pages(sample: "Sample") -> None:
    """Its own pages of the explorer, and what it shows of an instance, run without an error."""
    parts = [page.name for page in sample.benchmark.pages()]
    parts += [method.__name__ for method in _PARTS if sample.benchmark.offers(method)]
    if not parts:
        return
    if find_spec("streamlit") is None:
        raise InvalidOption("its pages need a package that is not here: pip install 'perennial-bench[web]'")
    logging.disable(logging.WARNING)  # Streamlit warns that no browser is there
    try:
        _run_pages(sample, parts)
    finally:
        logging.disable(logging.NOTSET)


def _run_pages(sample: "Sample", parts: list[str]) -> None:
    from streamlit.testing.v1 import AppTest

    for page in sample.benchmark.pages():
        if not page.name.startswith(f"{sample.benchmark.name}-"):
            raise UnusableBenchmark(f"page {page.name!r}: its name must begin with {sample.benchmark.name}-")
    arguments = (sample.store.root, sample.benchmark.name, sample.growth.edition)
    for part in parts:
        tested = AppTest.from_function(show_part, default_timeout=60, args=(*arguments, part)).run()
        errors = [error.value for error in tested.error] + [error.message for error in tested.exception]
        if errors:
            raise UnusableBenchmark(f"page {part!r} fails: {errors[0]}")


def show_part(root: str, benchmark: str, edition: str, part: str) -> None:
    """Show one page of the benchmark, or what it shows of an instance; this source is run as a script."""
    from perennial.flows.benchmark import find_benchmark
    from perennial.flows.web.page import Visit
    from perennial.flows.web.reading import read_snapshot

    shown, visit = find_benchmark(benchmark), Visit(read_snapshot(root), {})
    pages = {page.name: page for page in shown.pages()}
    if part in pages:
        pages[part].show(visit)
        return
    opened = visit.open_edition(edition)
    instance = opened.query("SELECT min(instance_id) FROM instances").rows[0][0]
    show = shown.show_reference if part == "show_reference" else shown.show_instance
    show(opened, instance)
