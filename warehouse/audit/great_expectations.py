"""Great Expectations on data frames, without its progress bars and telemetry; results as rows of `audits`."""

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow

SHOWN = 5
Expectation = tuple[str, str, dict[str, Any]]


def load_great_expectations() -> Any:
    """Import Great Expectations, without its telemetry: that takes seconds, once a process."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    import great_expectations as gx

    # Importing it sets its own level, and Prefect shows what its loggers say.
    for name in ("great_expectations", "great_expectations.data_context.types.base"):
        logging.getLogger(name).setLevel(logging.WARNING)
    return gx


class Validator:
    """Validates frames against expectations: (what is expected, Great Expectations class, its arguments)."""

    def __init__(self) -> None:
        self._gx = gx = load_great_expectations()
        from great_expectations.data_context.types.base import ProgressBarsConfig

        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = ProgressBarsConfig(globally=False, metric_calculations=False)
        source = context.data_sources.add_pandas("staging")
        self._frames = source.add_dataframe_asset("frame").add_batch_definition_whole_dataframe("whole")

    def results(
        self, suite: str, blocks: Iterable["pyarrow.Table"], expectations: Sequence[Expectation]
    ) -> list[dict[str, Any]]:
        """Validate the blocks of one table, at least one, and return one audit row an expectation."""
        import pandas as pd

        found = [
            self._validate(suite, block.to_pandas(types_mapper=pd.ArrowDtype), expectations)
            for block in blocks
        ]
        return [
            _audit_row(suite, sentence, [results[number] for results in found])
            for number, (sentence, _, _) in enumerate(expectations)
        ]

    def rule_results(
        self, suite: str, offences: Mapping[str, tuple[int, Sequence[tuple[Any, ...]]]]
    ) -> list[dict[str, Any]]:
        """Return one audit row a rule, given how many rows break it, and examples of them."""
        import pandas as pd

        frame = pd.DataFrame({rule: [count] for rule, (count, _) in offences.items()})
        expectations = [
            (rule, "ExpectColumnMaxToBeBetween", {"column": rule, "max_value": 0}) for rule in offences
        ]
        results = self._validate(suite, frame, expectations) if offences else []
        rows = []
        for (rule, (count, examples)), result in zip(offences.items(), results, strict=True):
            listed = "; ".join(", ".join(str(value) for value in record) for record in examples)
            observed = f"rows such as {listed}" if count else "no row"
            row = _audit_row(suite, rule, [result])
            rows.append({**row, "unexpected_count": count, "observed": observed})
        return rows

    def _validate(self, suite: str, frame: "pd.DataFrame", expectations: Sequence[Expectation]) -> list[Any]:
        """Return what Great Expectations says of each expectation, in their order."""
        built = [
            getattr(self._gx.expectations, kind)(**options, meta={"number": number})
            for number, (_, kind, options) in enumerate(expectations)
        ]
        batch = self._frames.get_batch({"dataframe": frame})
        validation = batch.validate(self._gx.ExpectationSuite(name=suite, expectations=built))
        return sorted(validation.results, key=lambda result: result.expectation_config.meta["number"])


def _audit_row(suite: str, sentence: str, results: Sequence[Any]) -> dict[str, Any]:
    """Return one row for an expectation's results on all blocks of a table."""
    failed = [result for result in results if not result.success]
    return {
        "suite": suite,
        "expectation": sentence,
        "success": not failed,
        "observed": _describe_observed(failed or results),
        "unexpected_count": sum(map(_count_unexpected, results)),
        "severity": "critical",
    }


def _count_unexpected(result: Any) -> int:
    count = (result.result or {}).get("unexpected_count")
    return int(not result.success) if count is None else int(count)


def _describe_observed(results: Sequence[Any]) -> str:
    """Return what was seen: unexpected values, one observed value, an exception, or the number of values."""
    details = [result.result or {} for result in results]
    unexpected = [value for one in details for value in one.get("partial_unexpected_list") or ()]
    if unexpected:
        return f"values such as {', '.join(str(value) for value in unexpected[:SHOWN])}"
    if "observed_value" in details[0]:
        return str(details[0]["observed_value"])
    raised = results[0].exception_info if not results[0].success else {}
    if isinstance(raised, dict) and raised.get("exception_message"):
        return str(raised["exception_message"])
    return f"{sum(one.get('element_count', 0) for one in details)} values"
