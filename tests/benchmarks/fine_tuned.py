"""The contamination gap of a model that was fine-tuned on an export, by epochs.

By hand, with the extra `train`: `OMP_NUM_THREADS=1 python -m tests.benchmarks.fine_tuned [--epochs 1 4
16]`. An edition of BeyondBench, half of it private, is exported; `perennial train` fits an adapter of a
transformer with random weights and 0.4 million parameters to the exported questions and their answers. Its
checkpoints play the whole edition through an HTTP server, and view `contamination_gaps` says what is seen.
"""

import argparse
import json
import random
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq

from perennial.flows.cli.train import train
from perennial.flows.export.export_edition import export_edition
from perennial.schemas.rows import Row
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.beyondbench.scripted_model import understand
from tests.flows.made_units import make_edition, make_evaluation
from tests.server.options import ServerOptions
from tests.server.running import running_server
from tests.server.script import Asked
from tests.training.tiny_model import make_model

# Lists of eight numbers: a larger context draws longer ones.
GROWN = {"tasks": ["odd_count/standard", "even_count/standard", "count_negative/standard"]}
BATCH, LONGEST_REPLY = 4, 12


class TrainedModel:
    """A role of the scripted server: the model that stands in the folder whose name is asked for."""

    role = "player"
    faults: tuple[str, ...] = ()

    def recognises(self, asked: Asked) -> bool:
        return Path(asked.model, "tokenizer.json").is_file()

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        return complete(asked.model, asked.messages[-1]["content"])


def scripts() -> tuple[TrainedModel, ...]:
    """Return the roles of the scripted server."""
    return (TrainedModel(),)


@lru_cache(maxsize=8)
def _load(folder: str) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    return AutoModelForCausalLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)


def complete(folder: str, question: str) -> str:
    """Return the most likely reply of the model to the question."""
    model, tokenizer = _load(folder)
    messages = [{"role": "user", "content": question}]
    prompt = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    said = model.generate(**prompt, max_new_tokens=LONGEST_REPLY, do_sample=False)
    return str(tokenizer.decode(said[0, prompt["input_ids"].shape[1] :], skip_special_tokens=True))


def write_chats(export: Path, path: Path) -> list[str]:
    """Write the exported questions with right answers as chats; return their lines."""
    lines = []
    for file in sorted(export.rglob("beyondbench_instances/**/*.parquet")):
        for row in pq.ParquetFile(file).read().to_pylist():
            task, params = understand(row["prompt"])
            reply = f"\\boxed{{{task.form(params).write(task.solve(params).reference)}}}"
            messages = [("user", row["prompt"]), ("assistant", reply)]
            chat = [{"role": role, "content": content} for role, content in messages]
            lines.append(json.dumps({"messages": chat, "domain": task.name}))
    path.write_text("\n".join(lines), encoding="utf-8")
    return lines


def measure_leak(folder: Path, instances: int, epochs: Sequence[int]) -> dict[int, Row]:
    """Return the row of `contamination_gaps` of each number of epochs; 0 is before training."""
    root = folder / "data"
    grown = {**GROWN, "benchmark": "beyondbench", "context_tokens": 220, "instances": instances, "seed": 5}
    make_edition(root, "e", players=["guesser"], runs=1, private_share=0.5, **grown)
    export_edition(Store(str(root)), "e", folder / "export")
    lines = write_chats(folder / "export", folder / "chats.jsonl")
    # Weights large enough that tokens of a prompt are told apart: what is learned is an adapter of them.
    texts = [message["content"] for line in lines for message in json.loads(line)["messages"]]
    sizes = {"hidden_size": 128, "intermediate_size": 256, "num_attention_heads": 4, "num_key_value_heads": 4}
    make_model(folder / "model", texts, **sizes, initializer_range=0.2)
    steps = [number * len(lines) // BATCH for number in epochs]
    players = [f"sft/leak-{step}" for step in (0, *steps)]
    folders = (folder / "model", *(folder / "leak" / f"served-{step}" for step in steps))
    served = tuple(str(path.resolve()) for path in folders)
    with running_server(ServerOptions(models=served, roles="tests.benchmarks.fine_tuned")) as server:
        train(
            str(folder / "model"),
            folder / "chats.jsonl",
            folder / "leak",
            name="",
            steps=steps[-1],
            checkpoints=",".join(map(str, steps)),
            seed=0,
            batch=BATCH,
            learning_rate=3e-3,
            lora_rank=16,
            lora_alpha=32,
            base_url=server.url,
            as_json=False,
        )
        asked = {"benchmark": "beyondbench", "runs": 1, "players": players}
        make_evaluation(root, "e", models_file=str(folder / "leak" / "checkpoints.toml"), **asked)
    gaps = open_catalog(Store(str(root))).records("FROM contamination_gaps")
    by_player = {row["player"]: row for row in gaps}
    return dict(zip((0, *epochs), (by_player[player] for player in players), strict=True))


def main() -> None:
    """Print public and private rate, gap, its interval and p, a line per number of epochs."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.fine_tuned")
    parser.add_argument("--epochs", type=int, nargs="+", default=[1, 4, 12])
    parser.add_argument("--instances", type=int, default=40, help="problems of each of three tasks")
    chosen = parser.parse_args()
    with TemporaryDirectory() as folder:
        rows = measure_leak(Path(folder), chosen.instances, chosen.epochs)
    for epochs, row in rows.items():
        shares = [row[name] for name in ("public_rate", "private_rate", "gap", "gap_low", "gap_high")]
        print(f"{epochs:>3} epochs", *(f"{share:+.3f}" for share in shares), f"p {row['p_value']:.4f}")


if __name__ == "__main__":
    main()
