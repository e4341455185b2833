"""A one-shot benchmark as a task of lm-evaluation-harness: its instances, and the benchmark's own grader."""

from pathlib import Path

from perennial.flows.export.instance_lines import write_instances
from perennial.flows.export.source import Source
from perennial.schemas.errors import InvalidOption
from perennial.warehouse.export_tables import ExportedFile, export_tables

_TASK = """# A task of lm-evaluation-harness: lm_eval --tasks {edition} --include_path FOLDER --model ...
# The grader needs perennial: pip install perennial-bench
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
    from perennial.flows.export.games import open_games

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
