"""Fine-tuning of models on golden trajectories and practice questions (extra `train`)."""

import json
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from perennial.flows.console.input_files import open_input, show_path
from perennial.schemas.errors import InvalidOption, UnreadableInput, add_extra
from perennial.schemas.json_text import read_json
from perennial.schemas.model_calls import Message
from perennial.schemas.practice import PracticeQuestion
from perennial.schemas.rows import JsonObject
from perennial.tasks.training import NOT_TRAINED, encode_chat, name_checkpoint

# A file of chats or practice questions, read a line at a time: 100,000 chats are a gigabyte, and their tokens
# are more.

Encode = Callable[[list[dict[str, str]]], dict[str, list[int]]]


class ChatFile:
    """The encoded chats of one `split` of a file (train or validation), as a sequence."""

    def __init__(self, path: Path, split: str, encode: Encode, max_length: int) -> None:
        self._path, self._encode, self._max_length = path, encode, max_length
        self._places: list[tuple[int, int]] = []  # number of the line and offset
        self.facts: dict[str, set[str]] = {"domain": set(), "setting": set(), "policy": set()}
        offset = 0
        with open_input(path) as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    record = self._parse(line, number)
                    if record.get("split", "train") == split:
                        self._places.append((number, offset))
                        for name, values in self.facts.items():
                            values.update({str(record[name])} if name in record else ())
                offset += len(line)

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: int) -> dict[str, list[int]]:
        """Return `input_ids` and `labels`; raise UnreadableInput for a chat too long or without a reply."""
        number, offset = self._places[index]
        with open_input(self._path) as lines:
            lines.seek(offset)
            record = self._parse(lines.readline(), number)
        encoded = self._encode(record["messages"])
        where = f"{show_path(self._path)}, line {number}"
        if len(encoded["input_ids"]) > self._max_length:
            raise UnreadableInput(
                f"{where}: a chat of {len(encoded['input_ids']):,} tokens, but the model takes "
                f"{self._max_length:,}: train on a smaller setting, or another model"
            )
        if all(label < 0 for label in encoded["labels"]):
            raise UnreadableInput(f"{where}: no reply of the assistant, expected one to train on")
        return encoded

    def _parse(self, line: bytes, number: int) -> JsonObject:
        where = f"{show_path(self._path)}, line {number}"
        try:
            record = read_json(line)
            if isinstance(record, dict) and "grader" in record:
                record["messages"] = chat_of(PracticeQuestion.from_json(record))
            messages = record["messages"]
            if messages and all(
                isinstance(m["role"], str) and isinstance(m["content"], str) for m in messages
            ):
                return dict(record)
        except UnreadableInput as error:
            raise UnreadableInput(f"{where}: {error}") from None
        except (ValueError, KeyError, TypeError):
            pass
        raise UnreadableInput(
            f"{where}: expected a JSON object with messages of role and content, as `perennial trajectories` "
            "writes them, or a line of `perennial sample`"
        )


def chat_of(question: PracticeQuestion) -> list[Message]:
    """The question with its right reply; raise UnreadableInput for a game of several turns."""
    if not question.reply:
        raise UnreadableInput(
            f"a question of {question.benchmark} has no single right reply: train on `perennial trajectories`"
        )
    return [*question.question, {"role": "assistant", "content": question.reply}]


# The entries of models.toml by which a training's checkpoints are players.


def checkpoint_entries(
    training: str,
    base_model: str,
    served: Mapping[int, Path],
    base_url: str,
    facts: Mapping[str, AbstractSet[str]],
) -> Iterator[str]:
    """Yield the lines of a models file: the model before training as step 0, then each checkpoint."""
    yield "# Written by perennial train. The server is that of `transformers serve`."
    places = {0: base_model, **{step: str(folder.resolve()) for step, folder in served.items()}}
    for step, checkpoint in places.items():
        yield ""
        yield f"[{_quote(name_checkpoint(training, step))}]"
        yield f"model = {_quote(checkpoint)}"
        yield f"base_url = {_quote(base_url)}"
        yield f"base_model = {_quote(Path(base_model).name)}"
        for key, name in (("trained_on", "domain"), ("trained_setting", "setting")):
            if step and facts[name]:
                yield f"{key} = {_quote(', '.join(sorted(facts[name])))}"
        yield f"step = {step}"


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # a basic string of TOML is one of JSON


# Fine-tune a model on chats, as the paper does ('Details of overfitting resistance experiment').
#
# LoRA (Hu et al., 2021) of r = 16 and alpha = 32, AdamW, linear warm-up over the first 3% of the steps and
# cosine decay, batches of 8 by accumulation; the loss is that of the assistant's tokens.

_PLAN = "training.json"
_STATE = "trainer_state.json"  # Transformers writes it last, so that a checkpoint with it is whole


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """What decides the weights: the same plan on the same machine gives the same ones."""

    model: str
    data: str
    seed: int
    steps: int
    checkpoints: tuple[int, ...]
    batch: int
    lora_rank: int
    lora_alpha: int
    learning_rate: float


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model to train with its tokenizer, and how many tokens it takes."""

    model: Any
    tokenizer: Any
    max_length: int


def load_model(name: str) -> Loaded:
    """Return the model of a local path, or of a name that Transformers knows.

    Raises InvalidOption where a package of extra `train` is missing, UnreadableInput, in one line, where
    there is no such model, or it has no tokenizer or no chat template.
    """
    try:
        import peft  # noqa: F401
        import torch  # noqa: F401
        from transformers import AutoModelForCausalLM, AutoTokenizer
        from transformers.utils import logging
    except ImportError as error:
        raise InvalidOption(
            f"training needs packages that are not installed ({error.name}): {add_extra('train')}"
        ) from None
    tokenizer = _load(name, "tokenizer", AutoTokenizer.from_pretrained)
    if not getattr(tokenizer, "is_fast", False):
        raise UnreadableInput(f"--model {name}: a tokenizer without offsets; use one with a tokenizer.json")
    if not tokenizer.chat_template:
        raise UnreadableInput(
            f"--model {name}: its tokenizer has no chat template, and chats cannot be written without one: "
            "use an instruct model, or add chat_template.jinja to its folder"
        )
    # Its bars and warnings are about its own code; what a reader needs is printed by `fine_tune`.
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    model = _load(name, "model", AutoModelForCausalLM.from_pretrained)
    longest = getattr(model.config, "max_position_embeddings", None) or tokenizer.model_max_length
    return Loaded(model, tokenizer, int(longest))


def _load(name: str, what: str, load: Callable[[str], Any]) -> Any:
    try:
        return load(name)
    except (OSError, ValueError, KeyError) as error:
        first = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        raise UnreadableInput(
            f"--model {name}: no {what} could be loaded: {first[:200]}; give the folder of a model of "
            "Transformers, or its name on the Hugging Face Hub"
        ) from None


def require_same_plan(out: Path, plan: TrainingPlan) -> None:
    """Write the plan into the folder; raise InvalidOption where another training is in it."""
    kept = out / _PLAN
    text = json.dumps(asdict(plan), indent=1)
    if kept.exists():
        if json.loads(kept.read_text(encoding="utf-8")) != json.loads(text):
            raise InvalidOption(
                f"--out {out}: it holds a training with other settings or data; name another folder, or give "
                "the same settings to resume"
            )
        return
    out.mkdir(parents=True, exist_ok=True)
    kept.write_text(text + "\n", encoding="utf-8")


def last_checkpoint(out: Path) -> Path | None:
    """Return the folder of the last checkpoint that is whole; None where there is none."""
    whole = [path.parent for path in out.glob(f"checkpoint-*/{_STATE}")]
    return max(whole, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


def fine_tune(
    loaded: Loaded,
    train: ChatFile,
    validation: ChatFile | None,
    plan: TrainingPlan,
    out: Path,
    tell: Callable[[str], None],
) -> list[Path]:
    """Train, from the last whole checkpoint in `out` on, and return the folders of all checkpoints.

    Each holds an adapter and the state of the optimiser; `make_served_folders` makes players of them. `tell`
    gets a line at each report. What a full disk raises passes through.
    """
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import DataCollatorForSeq2Seq, PrinterCallback, Trainer, TrainingArguments

    torch.manual_seed(plan.seed)
    lora = LoraConfig(
        r=plan.lora_rank, lora_alpha=plan.lora_alpha, target_modules="all-linear", task_type="CAUSAL_LM"
    )
    has_gpu = torch.cuda.is_available()
    arguments = TrainingArguments(
        output_dir=str(out),
        per_device_train_batch_size=1,
        per_device_eval_batch_size=1,
        gradient_accumulation_steps=plan.batch,
        max_steps=plan.steps,
        learning_rate=plan.learning_rate,
        optim="adamw_torch",
        weight_decay=0.0,
        adam_beta1=0.9,
        adam_beta2=0.999,
        adam_epsilon=1e-8,
        lr_scheduler_type="cosine",
        warmup_steps=0.03,  # below 1: a share of the steps
        seed=plan.seed,
        save_strategy="no",  # `_Keeper` says when
        logging_steps=max(1, plan.steps // 20),
        report_to="none",
        disable_tqdm=True,
        remove_unused_columns=False,
        use_cpu=not has_gpu,
        bf16=has_gpu and torch.cuda.is_bf16_supported(),
    )
    trainer = Trainer(
        model=get_peft_model(loaded.model, lora),
        args=arguments,
        train_dataset=train,
        data_collator=DataCollatorForSeq2Seq(loaded.tokenizer, label_pad_token_id=NOT_TRAINED),
        callbacks=[_keeper(plan, tell)],
    )
    trainer.remove_callback(PrinterCallback)
    last = last_checkpoint(out)
    if last is None or not last.name.endswith(f"-{plan.steps}"):
        if last is not None:
            tell(f"resuming from {last.name}")
        trainer.train(resume_from_checkpoint=None if last is None else str(last))
    if validation is not None and len(validation) and last_checkpoint(out) != last:
        loss = trainer.evaluate(validation)["eval_loss"]
        tell(f"validation loss {loss:.4f} over {len(validation)} chats")
    return [out / f"checkpoint-{step}" for step in plan.checkpoints]


def _keeper(plan: TrainingPlan, tell: Callable[[str], None]) -> Any:
    """Return the callback that keeps a checkpoint at each chosen step and reports the loss."""
    from transformers import TrainerCallback

    class Keeper(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, _args: Any, state: Any, control: Any, **_kwargs: Any) -> Any:
            control.should_save = state.global_step in plan.checkpoints
            return control

        def on_save(self, _args: Any, state: Any, _control: Any, **_kwargs: Any) -> None:
            tell(f"checkpoint {state.global_step} of {plan.steps} steps")

        def on_log(self, _args: Any, state: Any, _control: Any, logs: Any = None, **_kwargs: Any) -> None:
            if logs and "loss" in logs:
                tell(f"step {state.global_step:,} of {plan.steps:,}, loss {float(logs['loss']):.4f}")

    return Keeper()


def make_encode(loaded: Loaded) -> Callable[[Sequence[Any]], dict[str, list[int]]]:
    """Return what encodes a chat for the model; raise UnreadableInput for a template that refuses it."""
    from jinja2.exceptions import TemplateError

    def encode(messages: Sequence[Any]) -> dict[str, list[int]]:
        try:
            return encode_chat(loaded.tokenizer, messages)
        except TemplateError as error:
            raise UnreadableInput(
                f"the model's chat template refuses these messages: {str(error)[:200]}; use a model whose "
                "template takes a system message"
            ) from None

    return encode


# A folder for each checkpoint that `transformers serve` loads by its path: the base model with the adapter.
#
# It loads an adapter only beside whole weights. These are links, so that a checkpoint of a large model costs
# the space of its adapter.

_ADAPTER = ("adapter_config.json", "adapter_model.safetensors")


def make_served_folders(model: str, checkpoints: Sequence[Path]) -> dict[int, Path]:
    """Return a folder `served-STEP` beside each checkpoint, by step; one that exists is replaced."""
    base = _folder_of(model)
    made = {}
    for checkpoint in checkpoints:
        step = int(checkpoint.name.rpartition("-")[2])
        folder = checkpoint.with_name(f"served-{step}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        files = [path for path in base.iterdir() if path.is_file() and path.name not in _ADAPTER]
        for file in (*files, *(checkpoint / name for name in _ADAPTER)):
            (folder / file.name).symlink_to(file.resolve())
        made[step] = folder
    return made


def _folder_of(model: str) -> Path:
    """Return the model's folder: for a name on the Hub that of its snapshot, once it was loaded."""
    from transformers.utils import cached_file

    return Path(model) if Path(model).is_dir() else Path(cached_file(model, "config.json")).parent
