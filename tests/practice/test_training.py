"""A tiny model with random weights learns from the rewards of practice questions: GRPO on the CPU."""

from typing import Any

import pytest

from perennial.flows.practice.grade import grade
from tests.practice.drawn import draw
from tests.training.tiny_model import make_model

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")
transformers = pytest.importorskip("transformers", reason="the extra `train` is not installed")

# It speaks in whole replies of one length, as random weights write none that can be read; the last two have
# no answer in them.
LETTERS = [f"The answer is [{letter}]." for letter in "ABCD"]
REPLIES = [*LETTERS, "The answer is (A).", "The answer is {A}."]
GROUP, STEPS, SHOWN = 8, 20, 60  # tokens of a prompt: its beginning tells the questions apart


def log_probabilities(model: Any, tokenizer: Any, prompt: list[int]) -> Any:
    """Return the model's log-probability of each reply after the prompt, normalised over the replies."""
    totals = []
    for reply in REPLIES:
        said = tokenizer(reply, add_special_tokens=False)["input_ids"]
        ids = torch.tensor([prompt + said])
        logits = model(ids).logits[0, len(prompt) - 1 : -1].log_softmax(-1)
        totals.append(logits.gather(1, torch.tensor(said)[:, None]).sum())
    return torch.stack(totals).log_softmax(0)


@pytest.mark.slow
def test_rewards_of_the_grader_teach_a_tiny_model(tmp_path: Any) -> None:
    """One group per question and step: replies are drawn, graded, and those above their group's mean gain."""
    drawn = (one.as_json() for one in draw("knowlogic", 60, domains=["nature"], languages=["en"]))
    lines = [line for line in drawn if f"The answer is [{line['answer']}]." in REPLIES][:3]
    assert len(lines) == 3
    folder = make_model(tmp_path, [line["question"][0]["content"] for line in lines])
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    prompts = [
        tokenizer.apply_chat_template(line["question"], add_generation_prompt=True, return_dict=False)[:SHOWN]
        for line in lines
    ]
    rewards = torch.tensor([[grade(line, reply).score for reply in REPLIES] for line in lines])
    assert rewards.sum(1).tolist() == [1.0] * len(lines), "one of the replies is right, by the grader"

    def expected() -> float:
        with torch.no_grad():
            chances = [log_probabilities(model, tokenizer, prompt).exp() for prompt in prompts]
        return float((torch.stack(chances) * rewards).sum() / len(lines))

    before = expected()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(STEPS):
        loss = torch.zeros(())
        for prompt, reward in zip(prompts, rewards, strict=True):
            chances = log_probabilities(model, tokenizer, prompt)
            chosen = torch.multinomial(chances.detach().exp(), GROUP, replacement=True)
            gained = reward[chosen]
            advantage = (gained - gained.mean()) / (gained.std() + 1e-4)
            loss = loss - (advantage * chances[chosen]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    after = expected()
    print(f"expected reward {before:.2f} before, {after:.2f} after {STEPS} steps")
    assert before < 0.5
    assert after > before + 0.3
