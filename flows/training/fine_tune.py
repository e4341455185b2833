"""Fine-tune a model on chats, as the paper does ('Details of overfitting resistance experiment').

LoRA (Hu et al., 2021) of r = 16 and alpha = 32, AdamW, linear warm-up over the first 3% of the steps and
cosine decay, batches of 8 by accumulation; the loss is that of the assistant's tokens.
"""

import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from perennial.flows.training.chat_file import ChatFile
from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.tasks.training import NOT_TRAINED, encode_chat

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
            f"training needs packages that are not installed ({error.name}): "
            "pip install 'perennial-bench[train]'"
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
