"""`perennial train`: fine-tune a model on chats, and name its checkpoints as players."""

import hashlib
import json
import math
from pathlib import Path
from typing import Annotated

import typer

from perennial.flows.console.root_option import RootOption
from perennial.flows.console.row_formats import Terminal
from perennial.schemas.rows import JsonObject


def train(
    model: Annotated[
        str, typer.Option(metavar="NAME|FOLDER", help="A Transformers model: folder, or name on the Hub.")
    ],
    data: Annotated[
        Path, typer.Option(help="Lines of `perennial trajectories` or `perennial sample`, or other chats.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for checkpoints; the same command resumes there.")],
    name: Annotated[
        str, typer.Option(help="Name of the training: its players are sft/NAME-STEP. Default: that of --out.")
    ] = "",
    steps: Annotated[int | None, typer.Option(min=1, help="Optimizer steps. Default: by --epochs.")] = None,
    epochs: Annotated[float, typer.Option(min=0.001, help="Passes over the chats, without --steps.")] = 1.0,
    checkpoints: Annotated[
        str, typer.Option(help="How many, at equal distances, or the steps: 8, or 50,100,400.")
    ] = "8",
    seed: Annotated[int, typer.Option(min=0, help="Seed of order, adapter and dropout.")] = 0,
    batch: Annotated[int, typer.Option(min=1, help="Chats per step, by accumulation.")] = 8,
    learning_rate: Annotated[float, typer.Option(min=0, help="Highest learning rate.")] = 2e-4,
    lora_rank: Annotated[int, typer.Option(min=1, help="Rank r of the adapter.")] = 16,
    lora_alpha: Annotated[int, typer.Option(min=1, help="Its factor alpha.")] = 32,
    base_url: Annotated[
        str, typer.Option(help="Server of the entries written: that of `transformers serve`.")
    ] = "http://127.0.0.1:8000/v1",
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Fine-tune a model on golden trajectories or practice questions by LoRA (extra `train`).

    As in the KUMO paper, the loss counts only the assistant's turns. Each checkpoint, and the model before
    training as step 0, gets an entry in OUT/checkpoints.toml, a models file for `perennial evaluate
    --models-file`. Nothing of the data root is read.

    Example: perennial train --model Qwen/Qwen2.5-0.5B-Instruct --data easy.jsonl --out runs/qwen-easy
    """
    from perennial.flows.console.input_files import require_folder, write_lines
    from perennial.flows.training import (
        ChatFile,
        TrainingPlan,
        checkpoint_entries,
        fine_tune,
        load_model,
        make_encode,
        make_served_folders,
        require_same_plan,
    )
    from perennial.schemas.errors import UnreadableInput, count
    from perennial.tasks.training import choose_steps, require_name

    training = require_name(name or out.resolve().name)
    require_folder("--out", out)
    console = Terminal(stderr=True, soft_wrap=True)
    digest = _digest(data)
    if steps:  # without --steps the last one follows from the chats, which need the model's tokenizer
        choose_steps(checkpoints, steps)
    loaded = load_model(model)
    encode = make_encode(loaded)
    chats = ChatFile(data, "train", encode, loaded.max_length)
    if not len(chats):
        raise UnreadableInput(f"--data {data}: no chat to train on; all of its lines are for validation")
    last = steps or math.ceil(epochs * len(chats) / batch)
    plan = TrainingPlan(
        model=_place(model),
        data=digest,
        seed=seed,
        steps=last,
        checkpoints=choose_steps(checkpoints, last),
        batch=batch,
        lora_rank=lora_rank,
        lora_alpha=lora_alpha,
        learning_rate=learning_rate,
    )
    require_same_plan(out, plan)
    validation = ChatFile(data, "validation", encode, loaded.max_length)
    console.print(f"{count(len(chats), 'chat')} of {data}, {last:,} steps of {batch}, checkpoints in {out}")
    folders = fine_tune(loaded, chats, validation, plan, out, console.print)
    entries = out / "checkpoints.toml"
    served = make_served_folders(plan.model, folders)
    write_lines(entries, checkpoint_entries(training, plan.model, served, base_url, chats.facts))
    if as_json:
        summary: JsonObject = {"steps": last, "checkpoints": [str(folder) for folder in folders]}
        typer.echo(json.dumps({**summary, "models": str(entries)}))
    else:
        console.print(
            f"{count(len(folders), 'checkpoint')} of {training}; players in {entries}\n"
            f"next: transformers serve, then perennial evaluate EDITION --models-file {entries} "
            f"--players {'symbolic:' if chats.facts['policy'] else ''}sft/{training}-{last}"
        )


def _place(model: str) -> str:
    """A folder's absolute path, by which any server finds it; a name on the Hub stays."""
    return str(Path(model).resolve()) if Path(model).is_dir() else model


def _digest(path: Path) -> str:
    from perennial.flows.console.input_files import open_input

    digest = hashlib.sha256()
    with open_input(path) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
