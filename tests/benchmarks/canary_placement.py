"""Does a canary's line change what a model answers? `python -m tests.benchmarks.canary_placement`.

60 practice questions are asked without the line and with it in five ways; the model is the small one of
tests/real_model, or any other behind --base-url. Replies are kept in --out: a second run asks only what is
missing. An answer is clear if a careful reader finds exactly one in it, in whatever form.
"""

import argparse
import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path

import httpx

from perennial.flows.practice.draw import PracticeQuestions
from perennial.schemas.disclosure import canary_line
from perennial.schemas.model_calls import Message
from perennial.schemas.practice import PracticeQuestion
from perennial.warehouse.editions.issued_ids import IdSet
from tests.real_model.server import MODEL, real_server

GUID = "cb18b743-200e-5f98-ad27-26bd681ef165"
LINE = canary_line(GUID)
DRAWN = {
    "a2rbench": {"dimension": 1, "variation": "standard"},
    "beyondbench": {"tasks": ["sorting", "sum_of_digits", "n_queens"], "size": "smallest"},
    "knowlogic": {"languages": ["en"]},
    "kumo": {"truths": 3, "actions": 3},
}

# Most are of the benchmarks whose questions a small model answers at all.
COUNTS = {"a2rbench": 8, "beyondbench": 24, "knowlogic": 20, "kumo": 8}


def _change_last(messages: list[Message], change: Callable[[str], str]) -> list[Message]:
    *earlier, last = messages
    return [*earlier, {**last, "content": change(last["content"].rstrip())}]


def _inside(text: str) -> str:
    """After the first paragraph, which says what the task is."""
    task, _, rest = text.partition("\n\n")
    return f"{task}\n\n{LINE}\n\n{rest}"


def _in_system(messages: list[Message]) -> list[Message]:
    first, *rest = messages
    if first["role"] == "system":
        return [{**first, "content": f"{first['content'].rstrip()}\n\n{LINE}"}, *rest]
    return [{"role": "system", "content": LINE}, *messages]


PLACEMENTS: dict[str, Callable[[list[Message]], list[Message]]] = {
    "none (published files only)": lambda messages: messages,
    "last line": lambda messages: _change_last(messages, lambda text: f"{text}\n\n{LINE}"),
    "after a separator": lambda messages: _change_last(messages, lambda text: f"{text}\n\n---\n\n{LINE}"),
    "first line": lambda messages: _change_last(messages, lambda text: f"{LINE}\n\n{text}"),
    "after the task, before the question": lambda messages: _change_last(messages, _inside),
    "system message": _in_system,
}


def questions() -> Iterator[PracticeQuestion]:
    """Yield the questions of each benchmark in turn, so that an early look is at all of them."""
    drawn = {
        name: list(islice(PracticeQuestions(name, 41, DRAWN[name], IdSet(()), 0), n))
        for name, n in COUNTS.items()
    }
    yield from sorted(chain(*drawn.values()), key=lambda question: question.index)


def is_clear(question: PracticeQuestion, reply: str) -> bool:
    """Whether a careful reader finds exactly one answer, in whatever form."""
    if repeats_line(reply):
        return False
    if question.benchmark == "kumo":
        names = re.findall(r"^- (.+)$", question.question[-1]["content"], re.MULTILINE)
        return sum(name in reply for name in names) == 1
    if question.benchmark == "knowlogic":
        said = re.findall(
            r"(?<!incorrect )answer(?: is)?:?\s*[*\[(]*([A-D]+)\b|^([A-D])\.?$", reply, re.MULTILINE
        )
        return len(set(said)) == 1
    # The last line is the answer, or says it at its end; a sum without a result is none.
    last = (reply.rstrip(" .*`$").splitlines() or [""])[-1]
    form = r"\[[^\[\]]*\]"
    if question.benchmark == "beyondbench":
        form = rf"(?:-?[\d.,]+|{form}|\\boxed\{{.+\}})"
    return bool(re.search(rf"(?:^|\banswer\b.*[^+]\s|= |\bis:? ){form}\}}?$", last))


def repeats_line(reply: str) -> bool:
    """Whether the reply has words of the canary's line."""
    return GUID in reply or "part of a benchmark" in reply


def main() -> None:
    """Ask what is not asked yet, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("canary_placement.jsonl"))
    parser.add_argument("--base-url", help="of another server; default: the small model of tests/real_model")
    parser.add_argument("--model", default=MODEL)
    options = parser.parse_args()
    lines = [json.loads(line) for line in options.out.open()] if options.out.exists() else []
    replies = {(line["instance_id"], line["placement"]): line["reply"] for line in lines}
    drawn = list(questions())
    with ExitStack() as stack:
        url = options.base_url or stack.enter_context(real_server())
        file = stack.enter_context(options.out.open("a"))
        client = stack.enter_context(httpx.Client(trust_env=False, timeout=600))
        for question in drawn:
            for placement, place in PLACEMENTS.items():
                key = question.instance_id, placement
                if key in replies:
                    continue
                messages = place([*question.question])
                body = {
                    "model": options.model,
                    "messages": messages,
                    "max_tokens": 96,
                    "temperature": 0,
                }
                reply = client.post(f"{url}/chat/completions", json=body).raise_for_status().json()
                replies[key] = reply["choices"][0]["message"]["content"]
                line = dict(zip(("instance_id", "placement", "reply"), (*key, replies[key]), strict=True))
                file.write(json.dumps(line | {"benchmark": question.benchmark}) + "\n")
                file.flush()
    print_table(drawn, replies)


def print_table(drawn: list[PracticeQuestion], replies: dict[tuple[str, str], str]) -> None:
    """Print how many replies are clear, by benchmark, are those without the line, and repeat the line."""
    print(f"| the line | clear | {' | '.join(DRAWN)} | reply as without | repeats the line |")
    print("| --- |" + " ---: |" * (len(DRAWN) + 3))
    without = next(iter(PLACEMENTS))
    for placement in PLACEMENTS:
        asked = [(one, replies[one.instance_id, placement]) for one in drawn]
        clear = {
            name: sum(is_clear(one, text) for one, text in asked if one.benchmark == name) for name in DRAWN
        }
        same = sum(text == replies[one.instance_id, without] for one, text in asked)
        echoed = sum(repeats_line(text) for _, text in asked)
        total = f"{sum(clear.values())} of {len(asked)}"
        print(f"| {placement} | {total} | {' | '.join(map(str, clear.values()))} | {same} | {echoed} |")


if __name__ == "__main__":
    main()
