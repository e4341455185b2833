"""An edition as a dataset of the Hugging Face Hub: a card with configurations, and files beside it."""

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from perennial.flows.benchmark import Benchmark
from perennial.flows.export.source import Source, read_instances, write_instances
from perennial.schemas.disclosure import METADATA_KEY, canary_line
from perennial.schemas.errors import InvalidOption
from perennial.warehouse.export_tables import ExportedFile, describe_file, export_tables

# Parquet as the tables are: the Hub reads all files of a dataset in one format.
FILE = "instances.parquet"
_ROWS_AT_ONCE = 1_000


def write_dataset(source: Source, folder: Path) -> list[ExportedFile]:
    """Write the instances as the configuration `instances`; with answers each table as one more."""
    rows = _write_instances(source, folder / FILE)
    _declare(source, folder)
    if not source.with_answers:
        return [describe_file(folder, FILE, "instances", rows, len(source.private_ids))]
    # What is left out is counted by table.
    first = describe_file(folder, FILE, "instances", rows, 0)
    return [first, *export_tables(source.store, source.edition, folder, leave_out=source.leave_out)]


def _write_instances(source: Source, path: Path) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    message = pa.struct([("role", pa.string()), ("content", pa.string())])
    texts = ("instance_id", "benchmark", "domain", "setting", "edition", "canary")
    fields = [
        *((name, pa.string()) for name in texts),
        ("index", pa.int64()),
        ("messages", pa.list_(message)),
    ]
    schema = pa.schema(fields, {METADATA_KEY: canary_line(source.plan.canary)})
    written = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        lines = read_instances(source, with_answers=False)
        while rows := list(islice(lines, _ROWS_AT_ONCE)):
            writer.write_table(pa.Table.from_pylist(rows, schema))
            written += len(rows)
    return written


def _declare(source: Source, folder: Path) -> None:
    """Write `eval.yaml`, whose tasks `--format hf-results` names, and `environment.yaml` (hf-rl-env-0.1)."""
    benchmark = source.plan.benchmark
    settings = [
        str(name) for (name,) in source.catalog.query("FROM instances SELECT DISTINCT setting ORDER BY 1")[1]
    ]
    evaluation = {
        "name": source.edition,
        "description": f"An edition of the benchmark {benchmark}, graded by its own games.",
        "evaluation_framework": "perennial",
        "tasks": [{"id": name, "config": "instances", "split": "test"} for name in settings],
    }
    frameworks: dict[str, object] = {"inspect": {"task": f"perennial/{benchmark}"}}
    if source.benchmark.offers(Benchmark.practice):
        # Its tasks are practice questions, drawn afresh: those of an edition are for evaluation.
        frameworks["verifiers"] = {"package": f"perennial-{benchmark}"}
    environment = {
        "id": benchmark,
        "title": source.edition,
        "config_name": "instances",
        "splits": ["test"],
        "frameworks": frameworks,
        "reward": {"kind": "scalar", "minimum": 0, "maximum": 1},
    }
    declared = {"spec_version": "hf-rl-env-0.1", "environments": [environment]}
    for name, content in (("eval.yaml", evaluation), ("environment.yaml", declared)):
        # JSON is YAML.
        (folder / name).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


_RATES = """
SELECT player, setting, success_rate, success_rate_low, success_rate_high, population, scored FROM leaderboard
WHERE player_group = 'models' AND success_rate IS NOT NULL
ORDER BY player, setting
"""


def write_results(source: Source, folder: Path) -> list[ExportedFile]:
    """Write the success rates of each model as the file of results that its repository on the Hub holds.

    Raises InvalidOption where no model played.
    """
    entries: dict[str, list[dict[str, object]]] = {}
    for player, setting, rate, low, high, population, episodes in source.catalog.query(_RATES)[1]:
        interval = "" if low is None else f", 95% interval [{low:.3f}, {high:.3f}] for {population}"
        notes = f"success rate of edition {source.edition}, {episodes:,} episodes{interval}"
        task = {"id": source.dataset, "task_id": setting}
        entries.setdefault(player, []).append({"dataset": task, "value": rate, "notes": notes})
    if not entries:
        raise InvalidOption(f"--format hf-results: no model has published answers to {source.edition}")
    files = []
    for player, results in entries.items():
        # Whatever a model is called, its folder is in this one.
        name = quote(player, safe="").replace(".", "%2E", player[0] == ".")
        name += f"/.eval_results/{source.edition}.yaml"
        (folder / name).parent.mkdir(parents=True)
        # JSON is YAML.
        (folder / name).write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        files.append(describe_file(folder, name, "leaderboard", len(results), 0))
    return files


def card_head(source: Source, files: Sequence[ExportedFile]) -> str:
    """YAML at the head of the dataset's card: licence, tags, canary and configurations.

    JSON is YAML: each value is written as JSON.
    """
    configs = [{"config_name": "instances", "data_files": _test_split(FILE), "default": True}]
    # The Hub tells no columns of a file without rows from those of another one.
    tables = dict.fromkeys(file.table for file in files if file.name != FILE and file.rows)
    for table in tables:
        # The instances with their messages have the short name.
        name = "all_instances" if table == "instances" else table
        configs.append({"config_name": name, "data_files": _test_split(f"tables/{table}/*/*.parquet")})
    head = {
        "license": source.licence.lower(),
        "pretty_name": source.edition,
        "tags": ["benchmark", "reasoning", source.plan.benchmark],
        "language": _languages(source),
        "configs": configs,
        "perennial_canary": canary_line(source.plan.canary),
    }
    lines = (f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items())
    return "\n".join(("---", *lines, "---", "", ""))


def _test_split(path: str) -> list[dict[str, str]]:
    # Without a split the Hub calls it `train`.
    return [{"split": "test", "path": path}]


def _languages(source: Source) -> list[str]:
    sql = source.benchmark.declaration.languages
    if not sql:
        return ["en"]
    rows = source.catalog.query(sql)[1]
    return sorted({str(language) for id_, language in rows if id_ not in source.private_ids})


# A one-shot benchmark as a task of lm-evaluation-harness: its instances, and the benchmark's own grader.

_TASK = """# A task of lm-evaluation-harness: lm_eval --tasks {edition} --include_path FOLDER --model ...
# The grader needs perennial: pip install -e . in its clone
task: {edition}
custom_dataset: !function grade.load
test_split: test
output_type: generate_until
doc_to_text: !function grade.ask
doc_to_target: ""
process_results: !function grade.grade
generation_kwargs:
  until: []
  max_gen_toks: 8192
metric_list:
  - {{metric: success, aggregation: mean, higher_is_better: true}}
  - {{metric: score, aggregation: mean, higher_is_better: true}}
metadata:
  version: 1
"""
_GRADER = '''"""Functions of the task beside this file: its questions, and the benchmark's own grader."""

import json
from pathlib import Path

_FOLDER = Path(__file__).parent


def load(**_options):
    """Return the instances as the split `test`."""
    from datasets import Dataset

    with (_FOLDER / "instances.jsonl").open(encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    names = ("instance_id", "messages")
    return {{"test": Dataset.from_list([{{name: line[name] for name in names}} for line in lines])}}


def ask(doc):
    """Return the question as one text."""
    return "\\n\\n".join(message["content"] for message in doc["messages"])


def grade(doc, results):
    """Return what the benchmark makes of the reply."""
    from perennial.flows.export.source import open_games

    game = open_games(_FOLDER, {edition!r}).start(doc["instance_id"])
    game.take(results[0])
    return {{"success": float(game.result.success), "score": game.result.score}}
'''


def write_task(source: Source, folder: Path) -> list[ExportedFile]:
    """Write task, grader and instances, and the tables that the grader reads.

    Raises InvalidOption for a benchmark of several turns, as lm-eval asks once, and without answers.
    """
    if not source.benchmark.one_shot:
        raise InvalidOption(
            f"--format lm-eval: an instance of {source.plan.benchmark} takes several turns, and lm-eval asks "
            "once; --format inspect and jsonl hold any benchmark"
        )
    if not source.with_answers:
        raise InvalidOption("--format lm-eval holds the answers, which its grader needs: add --with-answers")
    files = write_instances(source, folder)
    (folder / f"{source.edition}.yaml").write_text(_TASK.format(edition=source.edition), encoding="utf-8")
    (folder / "grade.py").write_text(_GRADER.format(edition=source.edition), encoding="utf-8")
    return files + export_tables(source.store, source.edition, folder, leave_out=source.leave_out)
