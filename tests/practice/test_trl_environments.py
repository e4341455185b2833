"""Environments of TRL: what the library looks for in their classes, and what a rollout is worth."""

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.practice.grade import find_practice, grade, open_question
from perennial.flows.practice.trainers import environment_class, training_rows
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.errors import InvalidOption, UnreadableInput
from tests.practice.drawn import draw

ONE_SHOT = ("a2rbench", "beyondbench", "knowlogic")


def tools_of(environment: Any) -> dict[str, Any]:
    """Return the methods that TRL offers, found as `GRPOTrainer` finds them."""
    return {
        name: getattr(environment, name)
        for name, _ in inspect.getmembers(type(environment), predicate=inspect.isfunction)
        if name not in ("reset", "get_reward") and not name.startswith("_")
    }


@pytest.mark.parametrize("benchmark", ONE_SHOT)
def test_the_reply_of_a_question_is_worth_what_its_grader_says(benchmark: str) -> None:
    environment = environment_class(benchmark)()
    questions = draw(benchmark, 2)
    for question, row in zip(questions, training_rows(questions), strict=True):
        assert row["prompt"] == [*question.question]
        for reply in (question.reply, "no idea", ""):
            assert "function" in environment.reset(**row)
            assert environment.get_reward() == 0.0
            tools_of(environment)["answer"](reply)
            assert environment.get_reward() == grade(question, reply).score
            with pytest.raises(InvalidOption, match="has ended"):
                tools_of(environment)["answer"](reply)
        environment.reset(**row)
        tools_of(environment)["answer"](question.reply)
        assert environment.get_reward() == 1.0


def test_a_game_is_played_by_its_moves_and_begins_anew_with_each_reset() -> None:
    (question,) = draw("kumo", 1)
    (row,) = training_rows([question])
    instance = find_practice("kumo").open_seat(question).start().board.instance
    (right,) = instance.valid_truths
    wrong = next(name for name in instance.truths if name != right)
    environment = environment_class("kumo")()
    for name, score in ((right, 1.0), (wrong, 0.0)):
        environment.reset(**row, prompt_of_another_column=1)
        moves = tools_of(environment)
        assert set(moves) == {"take_action", "answer"}
        for action in instance.actions:
            outcome = open_question(question).take(f"<ANSWER>{action}</ANSWER>")
            assert moves["take_action"](action) == outcome
        moves["answer"](name)
        assert environment.get_reward() == score


@pytest.mark.parametrize("line", ["", "{}", "[]", json.dumps({"question": 1}), "{" * 10_000])
def test_a_row_that_is_no_practice_question_is_refused(line: str) -> None:
    with pytest.raises(UnreadableInput) as caught:
        environment_class("kumo")().reset(line=line)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_transformers_describes_every_move_to_the_model() -> None:
    """TRL hands the methods to the chat template, which makes the schemas of tools by this function."""
    utils = pytest.importorskip("transformers.utils", reason="transformers is not installed")
    for benchmark in benchmarks():
        for name, move in tools_of(environment_class(benchmark)()).items():
            function = utils.get_json_schema(move)["function"]
            assert function["name"] == name
            assert function["description"]
            (argument,) = function["parameters"]["properties"].values()
            assert argument["type"] == "string"
            assert argument["description"]


def _byte_tokenizer(chat_template: str) -> Any:
    """Return a tokenizer that knows bytes and the marks of Qwen3's chats."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({letter: place for place, letter in enumerate(letters)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    tokenizer.add_tokens(["<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>"])
    marks = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, chat_template=chat_template, **marks)


@pytest.mark.slow
def test_the_trainer_of_trl_plays_a_game_by_calls_and_trains_on_its_score(tmp_path: Path) -> None:
    """One step of a tiny random model, whose replies are scripted: the rest is TRL's own."""
    trl = pytest.importorskip("trl", reason="trl is not installed")
    from datasets import Dataset
    from transformers import Qwen3Config, Qwen3ForCausalLM

    (question,) = draw("kumo", 1)
    instance = find_practice("kumo").open_seat(question).start().board.instance
    (right,) = instance.valid_truths
    wrong = next(name for name in instance.truths if name != right)
    template = (Path(trl.__file__).parent / "chat_templates/qwen3.jinja").read_text("utf-8")
    tokenizer = _byte_tokenizer(template)
    taken: list[list[str]] = []

    class Scripted(trl.GRPOTrainer):  # type: ignore[name-defined, misc]
        def _generate_single_turn(self, prompt_ids: Any, *_rest: Any, **_more: Any) -> Any:
            """Take an action, then name the right answer in one of both games, then say that it is done."""
            turn = len(taken)
            taken.append([tokenizer.decode(ids) for ids in prompt_ids])
            names = ([("take_action", instance.actions[0])] * 2, [("answer", right), ("answer", wrong)])
            calls = (
                [json.dumps({"name": name, "arguments": {"name": value}}) for name, value in names[turn]]
                if turn < 2
                else []
            )
            texts = [f"<tool_call>\n{call}\n</tool_call><|im_end|>" for call in calls] or [
                "Done.<|im_end|>"
            ] * len(prompt_ids)
            return [tokenizer.encode(text) for text in texts], None

    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "head_dim": 8}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 20_000}
    config = Qwen3Config(vocab_size=len(tokenizer), eos_token_id=tokenizer.eos_token_id, **sizes, **heads)
    chosen = {"num_generations": 2, "per_device_train_batch_size": 2, "max_steps": 1, "logging_steps": 1}
    trainer = Scripted(
        model=Qwen3ForCausalLM(config),
        args=trl.GRPOConfig(
            str(tmp_path), max_completion_length=4096, use_cpu=True, report_to=[], bf16=False, **chosen
        ),
        train_dataset=Dataset.from_list([*training_rows([question])] * 2),
        processing_class=tokenizer,
        environment_factory=environment_class("kumo"),
    )
    trainer.train()
    logged = trainer.state.log_history[0]
    assert logged["reward"] == 0.5
    assert (logged["tools/call_frequency"], logged["tools/failure_frequency"]) == (2.0, 0.0)
    outcome = open_question(question).take(f"<ANSWER>{instance.actions[0]}</ANSWER>")
    assert outcome
    assert all(outcome in shown for shown in taken[1])
    assert '"name": "take_action"' in taken[0][0]
