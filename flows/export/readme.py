"""The README of an export."""

from perennial.schemas.rows import ReadJson

_TABLES = (
    "The tables are Parquet files: `tables/<table>/edition={edition}/`, with `part-0.parquet` for the "
    "questions and a file with the name of each evaluation for its answers."
)
_CONTENT = {
    "parquet": _TABLES,
    "jsonl": "`instances.jsonl` has an instance a line, with the messages by which a model is asked.",
    "hf": "`instances.parquet` has one row per instance, with the messages by which a model is asked: "
    '`datasets.load_dataset(FOLDER, "instances", split="test")`. Each configuration has one split, `test`. '
    "Tables, where there are any, hold the answers too: `tables/<table>/`.",
    "inspect": "The logs of Inspect in `logs/` have an episode a sample: `inspect view --log-dir logs`.",
    "lm-eval": "`{edition}.yaml` is a task of lm-evaluation-harness: `lm_eval --tasks {edition} "
    f"--include_path .`; its grader, `grade.py`, needs perennial. {_TABLES}",
}


def write_readme(manifest: ReadJson) -> str:
    """Return the README of the export that this manifest describes."""
    edition = manifest["edition"]
    paragraphs = (
        f"# {edition}",
        manifest["canary_line"],
        f"License: {manifest['licence']}",
        f"An edition of the benchmark {manifest['benchmark']}, made with perennial, and "
        f"{_evaluations(manifest)}. {_CONTENT[manifest['format']].format(edition=edition)} "
        "`sha256sum --check SHA256SUMS` checks all files; `manifest.json` describes them.",
        _seed(manifest),
        _left_out(manifest),
    )
    return "\n\n".join(paragraphs) + "\n"


def _evaluations(manifest: ReadJson) -> str:
    number = len(manifest["evaluations"])
    return "1 evaluation" if number == 1 else f"{number} evaluations"


def _seed(manifest: ReadJson) -> str:
    if not manifest["seed_commitment"]:
        return "The data were imported; no seed is known."
    told = (
        f"The edition is {manifest['freshness']}. The commitment to its seed is "
        f"{manifest['seed_commitment']}, "
        "the SHA-256 of the seed's "
    )
    if manifest["seed"] is None:
        return f"{told}decimal digits; the seed itself was not revealed when this was exported."
    return f"{told}decimal digits: `printf %s {manifest['seed']} | sha256sum`."


def _left_out(manifest: ReadJson) -> str:
    if not manifest["left_out"]:
        return "Nothing is left out."
    counted = ", ".join(f"{number:,} {table}" for table, number in sorted(manifest["left_out"].items()))
    return (
        f"Private instances, and all that refers to them, are left out: {counted}. They stay private until "
        "the edition is retired. All figures in `statistics`, and counts in `editions` and "
        "`evaluations`, are over all instances, the private ones included."
    )
