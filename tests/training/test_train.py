"""Training a tiny model on the CPU: what decides the weights, a stop in the middle, and what is refused."""

import json
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.cli.train import train
from perennial.flows.practice.grade import grade
from perennial.flows.training import ChatFile, last_checkpoint, load_model
from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.schemas.settings.models import load_models
from tests.practice.drawn import draw
from tests.training.tiny_model import make_model, make_tokenizer

needs_torch = pytest.mark.skipif(
    not (find_spec("torch") and find_spec("transformers") and find_spec("peft")),
    reason="extra train is not installed: pip install -e '.[train]'",
)
ONE_SHOT = ("a2rbench", "beyondbench", "knowlogic")
CHATS = [
    {
        "messages": [
            {"role": "system", "content": "Name the letter."},
            {"role": "user", "content": f"Case {number}"},
            {"role": "assistant", "content": f"<ANSWER> {letter} </ANSWER>"},
        ],
        "domain": "Letters IND",
        "setting": "easy",
        "split": "train" if number > 1 else "validation",
    }
    for number, letter in enumerate("abcabcabcabcabcabc")
]


def write_chats(folder: Path) -> Path:
    path = folder / "chats.jsonl"
    path.write_text("".join(json.dumps(chat) + "\n" for chat in CHATS), encoding="utf-8")
    return path


def run(folder: Path, out: Path, **options: object) -> None:
    given = {"name": "", "steps": 6, "epochs": 1.0, "checkpoints": "3,6", "seed": 0, "batch": 2}
    usual = {"learning_rate": 2e-2, "lora_rank": 16, "lora_alpha": 32, "base_url": "http://127.0.0.1:8/v1"}
    train(str(folder / "model"), folder / "chats.jsonl", out, **{**given, **usual, **options})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("training")
    write_chats(made)
    if find_spec("torch"):
        make_model(made / "model", [json.dumps(CHATS)])
    return made


def adapter(folder: Path) -> bytes:
    return (folder / "adapter_model.safetensors").read_bytes()


@needs_torch
@pytest.mark.slow
def test_a_training_that_was_stopped_ends_with_the_same_weights(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from transformers import AutoModelForCausalLM

    from perennial.flows.console.row_formats import Terminal

    run(folder, tmp_path / "whole", name="tiny-easy")
    printed = capsys.readouterr().err

    def stop(self: Terminal, text: object, *_: object, **__: object) -> None:
        if "step 5" in str(text):
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Terminal, "print", stop)
        with pytest.raises(KeyboardInterrupt):
            run(folder, tmp_path / "cut", name="tiny-easy")
    # What a kill leaves of a checkpoint is no checkpoint.
    (tmp_path / "cut" / "checkpoint-5").mkdir()
    assert last_checkpoint(tmp_path / "cut") == tmp_path / "cut" / "checkpoint-3"
    run(folder, tmp_path / "cut", name="tiny-easy")
    assert "resuming from checkpoint-3" in capsys.readouterr().err
    for step in (3, 6):
        one, other = (tmp_path / name / f"checkpoint-{step}" for name in ("whole", "cut"))
        assert adapter(one) == adapter(other)
    losses = [float(line.rsplit(" ", 1)[1]) for line in printed.splitlines() if ", loss " in line]
    assert len(losses) == 6
    assert losses[-1] < losses[0]
    entries = load_models(str(tmp_path / "whole" / "checkpoints.toml"))
    assert list(entries) == ["sft/tiny-easy-0", "sft/tiny-easy-3", "sft/tiny-easy-6"]
    last = entries["sft/tiny-easy-6"]
    assert (last.base_model, last.trained_on, last.trained_setting, last.step) == (
        "model",
        "Letters IND",
        "easy",
        6,
    )
    assert (
        "trained_on"
        not in tomllib.loads((tmp_path / "whole" / "checkpoints.toml").read_text())["sft/tiny-easy-0"]
    )
    served = AutoModelForCausalLM.from_pretrained(last.model)
    assert any("lora" in name for name, _ in served.named_parameters())
    with pytest.raises(InvalidOption, match="holds a training with other settings"):
        run(folder, tmp_path / "whole", seed=1)


@needs_torch
@pytest.mark.slow
def test_a_model_learns_from_practice_questions_of_all_one_shot_benchmarks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = [question for name in ONE_SHOT for question in draw(name, 4)]
    lines = [json.dumps(question.as_json()) for question in questions]
    (tmp_path / "chats.jsonl").write_text("\n".join(lines), "utf-8")
    make_model(tmp_path / "model", lines)
    run(tmp_path, tmp_path / "out", steps=None, epochs=2.0, checkpoints="1", batch=2)
    printed = capsys.readouterr().err
    losses = [float(line.rsplit(" ", 1)[1]) for line in printed.splitlines() if ", loss " in line]
    assert len(losses) == 12
    assert losses[-1] < losses[0]
    assert "--players sft/out-12" in printed
    last = load_models(str(tmp_path / "out" / "checkpoints.toml"))["sft/out-12"]
    assert last.trained_on == ", ".join(sorted({question.domain for question in questions}))


def test_lines_of_sample_and_of_trajectories_are_chats(tmp_path: Path) -> None:
    questions = [draw(name, 1)[0] for name in ONE_SHOT]
    path = write_chats(tmp_path)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(question.as_json()) + "\n" for question in questions)
    read: list[Any] = []
    chats = ChatFile(
        path, "train", lambda messages: read.append(messages) or {"input_ids": [1], "labels": [1]}, 9
    )
    assert all(len(chat["labels"]) == 1 for chat in (chats[number] for number in range(len(chats))))
    assert read[0] == CHATS[2]["messages"]
    for question, (*asked, reply) in zip(questions, read[len(CHATS) - 2 :], strict=True):
        assert tuple(asked) == question.question
        assert grade(question, reply["content"]).success
    for damaged, words in (
        (draw("kumo", 1)[0].as_json(), "kumo has no single right reply: train on `perennial trajectories`"),
        (questions[0].as_json() | {"reply": 1}, "reply is 1, expected text"),
    ):
        path.write_text("\n" + json.dumps(damaged), encoding="utf-8")
        with pytest.raises(UnreadableInput, match=f"line 2: .*{words}"):
            ChatFile(path, "train", lambda _messages: {}, 9)


@needs_torch
@pytest.mark.slow
def test_what_cannot_be_trained_is_refused_in_one_line(folder: Path, tmp_path: Path) -> None:
    for place, template, told in (("none", None, "no chat template"), ("nowhere", "", "no tokenizer")):
        if place == "none":
            make_tokenizer(tmp_path / place, ["a"], template)
        with pytest.raises(UnreadableInput, match=told) as caught:
            load_model(str(tmp_path / place))
        assert "\n" not in str(caught.value)
    chats = tmp_path / "chats.jsonl"
    (tmp_path / "model").symlink_to(folder / "model")
    for text, told in (
        ('{"messages": []}\n', "line 1: expected a JSON object with messages"),
        (json.dumps(CHATS[0]), "no chat to train on"),
    ):
        chats.write_text(text, encoding="utf-8")
        with pytest.raises(UnreadableInput, match=told):
            run(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out" / "training.json").exists()


@needs_torch
def test_steps_without_such_a_checkpoint_are_refused_before_the_model_is_loaded(tmp_path: Path) -> None:
    write_chats(tmp_path)
    with pytest.raises(InvalidOption, match="--checkpoints"):  # the folder has no model
        run(tmp_path, tmp_path / "out", steps=6, checkpoints="3,99")


def test_a_missing_package_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(InvalidOption, match=r"pip install -e '\.\[train\]'") as caught:
        load_model(str(tmp_path))
    assert "\n" not in str(caught.value)
