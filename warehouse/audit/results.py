"""What a checkpoint found, as rows of `audits` and `validations`."""

from collections.abc import Iterator, Sequence
from math import isfinite

from schemas.ids import canonical_json
from schemas.rows import JsonObject, Row
from warehouse.audit.search import AuditedRows
from warehouse.audit.suites import COLUMNS, NOT_NULL, TYPES

_IN_WORDS = 5
_WIDTH = 200
# Of all rows that break an expectation; the same of some is kept.
_UNBOUNDED = {"unexpected_list", "unexpected_index_list", "unexpected_index_query"}
_STRUCTURE = (COLUMNS, TYPES)


def validation_row(name: str, suite: str, result: JsonObject, sample: AuditedRows) -> Row:
    """Return the row of `validations`: the result without what is drawn or told by a clock in each run."""
    kept = {
        "suite_name": name,
        "success": result["success"],
        "statistics": result["statistics"],
        "results": [_keep(one) for one in result["results"]],
        "meta": {"great_expectations_version": result["meta"]["great_expectations_version"]},
    }
    return {
        "validation": name,
        "suite": suite,
        "validated_rows": len(sample.frame),
        "rows": sample.rows,
        "expectations": result["statistics"]["evaluated_expectations"],
        "unsuccessful": result["statistics"]["unsuccessful_expectations"],
        "result": canonical_json(kept),
    }


def audit_rows(
    name: str, suite: str, result: JsonObject, sample: AuditedRows, key: Sequence[str] = ()
) -> Iterator[Row]:
    """Yield a row of `audits` for each expectation of the suite.

    Where columns or types are not those of the schema, what could not be computed for that is left out.
    """
    is_sound = has_structure(result)
    for one in result["results"]:
        sentence, error = one["expectation_config"]["description"], _error(one)
        if error and not is_sound:
            continue
        broken = max(int(not one["success"]), one["result"].get("unexpected_count") or 0)
        yield {
            "suite": suite,
            "expectation": sentence,
            "success": one["success"],
            "observed": error or _describe(one, sample, key),
            "unexpected_count": sample.counts.get(sentence, broken),
            "severity": "critical",
            "validation": name,
        }


def has_structure(result: JsonObject) -> bool:
    """Whether a table has the columns of its schema, with their types."""
    return all(one["success"] for one in result["results"] if one["expectation_config"]["type"] in _STRUCTURE)


def _describe(one: JsonObject, sample: AuditedRows, key: Sequence[str]) -> str:
    """Say what was seen: how many rows, or some of those that break the expectation."""
    kind, result = one["expectation_config"]["type"], one["result"]
    if kind == COLUMNS:
        return ", ".join(result["observed_value"])
    if one["success"]:
        if len(sample.frame) < sample.rows:
            return f"{sample.rows:,} rows, {len(sample.frame):,} of them by a sample, all by DuckDB"
        return f"{sample.rows:,} rows"
    if kind == TYPES:
        return ", ".join(f"{name} is {type_}" for name, type_ in result["observed_value"].items())
    rows = result.get("partial_unexpected_index_list") or result["partial_unexpected_list"]
    if kind == NOT_NULL:
        rows = [{name: row[name] for name in row if name in key or row[name] is None} for row in rows]
    return "rows such as " + "; ".join(_show(row) for row in rows[:_IN_WORDS])


def _show(row: Row) -> str:
    return ", ".join(f"{name}={_shorten(value)}" for name, value in row.items())


def _shorten(value: object) -> object:
    """Cut texts, which may be whole books, and write in words what is not a number for JSON."""
    if isinstance(value, str) and len(value) > _WIDTH:
        return value[:_WIDTH] + "..."
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, list):
        return [_shorten(item) for item in value]
    return {name: _shorten(item) for name, item in value.items()} if isinstance(value, dict) else value


def _keep(one: JsonObject) -> JsonObject:
    config = one["expectation_config"]
    kwargs = {name: value for name, value in config["kwargs"].items() if name != "batch_id"}
    found = {
        "expectation_config": {
            **{name: config[name] for name in ("type", "description", "severity")},
            "kwargs": kwargs,
        },
        "success": one["success"],
        "result": {name: _shorten(value) for name, value in one["result"].items() if name not in _UNBOUNDED},
    }
    error = _error(one)
    return found | ({"exception_message": error} if error else {})


def _error(one: JsonObject) -> str:
    """Return what was raised, "" for nothing: it is told directly, or by metric."""
    info = one["exception_info"]
    told = [info] if "raised_exception" in info else info.values()
    return next((str(entry["exception_message"]) for entry in told if entry["raised_exception"]), "")
