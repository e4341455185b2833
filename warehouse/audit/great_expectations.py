"""Great Expectations, without telemetry, progress bars and files: suites on frames, and Data Docs on request."""

import logging
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.rows import JsonObject
from warehouse.audit.suites import EVIDENCE_ROWS, TableExpectation

if TYPE_CHECKING:
    import pandas as pd

_SITE = "perennial"
_WHOLE = "all"


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

        import warehouse.audit.expectations  # noqa: F401  registers them

        self._context = self._gx.get_context(mode="ephemeral")
        self._context.variables.progress_bars = ProgressBarsConfig(globally=False, metric_calculations=False)
        self._docs = docs
        if docs is not None:
            backend = {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(docs)}
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
        """Return the result of the suite on the frame, as Great Expectations gives it in JSON.

        Rows that break an expectation are named by their key, at most `EVIDENCE_ROWS` of them.
        """
        gx = self._gx
        expectations = [
            {"type": one.type, "kwargs": one.arguments, "description": one.sentence} for one in suite
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
                "result_format": "SUMMARY",
                "partial_unexpected_count": EVIDENCE_ROWS,
                "unexpected_index_column_names": list(key),
            },
        )
        results = self._context.checkpoints.add(checkpoint).run(batch_parameters={"dataframe": frame})
        (result,) = results.run_results.values()
        document: JsonObject = result.to_json_dict()
        return document

    def build_docs(self) -> None:
        """Write Data Docs of all that was run."""
        self._context.build_data_docs(site_names=[_SITE])
