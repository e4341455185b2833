"""Great Expectations without telemetry, progress bars and files: suites on frames, and Data Docs."""

import logging
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from perennial.schemas.rows import JsonObject
from perennial.warehouse.audit.suites import EVIDENCE_ROWS, TableExpectation

if TYPE_CHECKING:
    import pandas as pd

_SITE = "perennial"
_WHOLE = "all"
_STYLE = """<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5em auto; max-width: 1200px; padding: 0 1em }
table { border-collapse: collapse; width: 100%; margin: .5em 0 1em }
th, td { border-bottom: 1px solid #ccc; padding: .3em .6em; text-align: left; vertical-align: top }
td:nth-child(3) { overflow-wrap: anywhere }
h5 { font-size: 1.15em; margin: 1em 0 .3em }
.fa-check-circle::before { content: "✓"; color: #187a2f }
.fa-times::before, .fa-exclamation-triangle::before { content: "✗"; color: #b3261e }
.show-scrollbars > span + span::before { content: ", " }
.breadcrumb { list-style: none; padding: 0 }
.card:has(.btn-group-toggle), .collapse, [data-toggle="collapse"] { display: none }
</style>"""
_INDEX = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Data Docs: audit</title>{style}</head><body>
<h1>Data Docs of an audit</h1>
<p>A suite per table, and one per rule between tables, as Great Expectations validated them.</p>
<table><thead><tr><th>result<th>edition or evaluation<th>validation<th>expectations<th>failed</tr></thead>
<tbody>
{rows}
</tbody></table></body></html>
"""


def load_great_expectations() -> Any:
    """Import Great Expectations, without its telemetry: that takes seconds, once per process."""
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    import great_expectations as gx

    # Importing it sets its own level, and Prefect shows what its loggers say.
    for name in ("great_expectations", "great_expectations.data_context.types.base"):
        logging.getLogger(name).setLevel(logging.WARNING)
    return gx


class CheckpointRunner:
    """Runs checkpoints in a context that lives in memory; with `docs`, writes Data Docs into that folder."""

    def __init__(self, docs: Path | None = None) -> None:
        self._gx = load_great_expectations()
        from great_expectations.data_context.types.base import ProgressBarsConfig

        import perennial.warehouse.audit.expectations  # noqa: F401  registers them

        self._context = self._gx.get_context(mode="ephemeral")
        self._context.variables.progress_bars = ProgressBarsConfig(globally=False, metric_calculations=False)
        self._docs = docs
        self._results: dict[tuple[str, str], JsonObject] = {}
        if docs is not None:
            backend = {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(docs.absolute())}
            self._context.add_data_docs_site(_SITE, {"class_name": "SiteBuilder", "store_backend": backend})

    def add_source(self, name: str, assets: Iterable[str]) -> None:
        """Declare the data frames of an edition or evaluation, all at once: each change is costly."""
        from great_expectations.datasource.fluent import PandasDatasource

        listed = [
            {"type": "dataframe", "name": asset, "batch_definitions": [{"name": _WHOLE}]} for asset in assets
        ]
        self._context.data_sources.add_or_update_pandas(datasource=PandasDatasource(name=name, assets=listed))

    def run(
        self,
        source: str,
        asset: str,
        suite: Sequence[TableExpectation],
        frame: "pd.DataFrame",
        key: Sequence[str] = (),
    ) -> JsonObject:
        """The result of the suite on the frame, as Great Expectations gives it in JSON.

        Rows that break an expectation are named by their key, at most `EVIDENCE_ROWS` of them.
        """
        gx = self._gx
        expectations = [
            {"type": expectation.type, "kwargs": expectation.arguments, "description": expectation.sentence}
            for expectation in suite
        ]
        data = self._context.data_sources.get(source).get_asset(asset).get_batch_definition(_WHOLE)
        name = f"{source}-{asset}"
        kept = self._context.suites.add_or_update(gx.ExpectationSuite(name=asset, expectations=expectations))
        checkpoint = gx.Checkpoint(
            name=name,
            validation_definitions=[
                self._context.validation_definitions.add(
                    gx.ValidationDefinition(name=name, data=data, suite=kept)
                )
            ],
            result_format={
                "result_format": "COMPLETE",
                "partial_unexpected_count": EVIDENCE_ROWS,
                "unexpected_index_column_names": list(key),
            },
        )
        done = self._context.checkpoints.add(checkpoint).run(
            batch_parameters={"dataframe": frame}, run_id=gx.RunIdentifier(run_name=source)
        )
        (result,) = done.run_results.values()
        document: JsonObject = result.to_json_dict()
        self._results[source, asset] = document
        return document

    def build_docs(self) -> Path:
        """Write Data Docs of all that was run; return the first page, which lists what failed first.

        The pages open without a network: Great Expectations' own load styles and scripts from other sites.
        """
        assert self._docs is not None
        self._context.build_data_docs(site_names=[_SITE])
        for page in self._docs.rglob("*.html"):
            page.write_text(_make_offline(page.read_text(encoding="utf-8")), encoding="utf-8")
        shutil.rmtree(self._docs / "static")
        index = self._docs / "index.html"
        index.write_text(self._render_index(self._docs), encoding="utf-8")
        return index

    def _render_index(self, docs: Path) -> str:
        rows = []
        for (source, asset), result in sorted(self._results.items(), key=lambda item: item[1]["success"]):
            (page,) = docs.glob(f"validations/{asset}/*/*/{source}-{asset}.html")
            counts = result["statistics"]
            cells = (
                "passed" if result["success"] else "FAILED",
                source,
                f'<a href="{quote(page.relative_to(docs).as_posix())}">{asset}</a>',
                counts["evaluated_expectations"],
                counts["unsuccessful_expectations"],
            )
            rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        return _INDEX.format(style=_STYLE, rows="\n".join(rows))


def _make_offline(page: str) -> str:
    head = f'<head><meta charset="utf-8"><title>Data Docs</title>{_STYLE}</head>'
    page = re.sub(r"<(script|footer)\b.*?</\1>|<img\b.*?>|Data asset: None<br>", "", page, flags=re.DOTALL)
    return re.sub(r"<head>.*</head>", lambda _: head, page, count=1, flags=re.DOTALL)
