"""What KnowLogic's guesser answers, learned on a draw of its own, and its rate on another one.

By hand: `python -m tests.benchmarks.knowlogic_guesser --learn` writes `usual_letters.csv` of
`tasks/knowlogic`; run it again where the draw of questions changes. Without `--learn` it prints the rates.
"""

import sys
from collections import Counter, defaultdict
from importlib.util import find_spec
from pathlib import Path

from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import DIFFICULTIES, DOMAINS, Question
from perennial.tasks.knowlogic.growing import ScenarioRequest, grow_scenario, plan_scenarios
from perennial.tasks.knowlogic.players import QuestionForm, guess
from perennial.tasks.knowlogic.problem import find_domain
from perennial.warehouse.knowlogic.knowledge import load_knowledge

# Questions of each domain.
LEARNED, MEASURED = 600, 12_000


def main(arguments: list[str]) -> None:
    """Learn, or print the rates on a draw that nothing was learned from."""
    if arguments == ["--learn"]:
        learn()
        return
    cells: defaultdict[tuple[str, ...], list[bool]] = defaultdict(list)
    for question in draw("measure", MEASURED):
        is_right = guess(form_of(question)) == question.letters
        for key in ((), (question.domain,), (question.domain, question.type, question.difficulty)):
            cells[key].append(is_right)
    for key, found in sorted(cells.items()):
        print(f"{' '.join(key) or 'all':<45} {sum(found) / len(found):.3f} of {len(found):,}")


def learn() -> None:
    """Write the table of the most frequent letters."""
    counts: defaultdict[QuestionForm, Counter[str]] = defaultdict(Counter)
    for question in draw("learn", LEARNED):
        counts[form_of(question)][question.letters] += 1
    rows: defaultdict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for form, found in counts.items():
        place = form.domain, form.type or "", "none" if form.has_none else ""
        rows[place][form.difficulty] = min(found, key=lambda each: (-found[each], each))
    lines = [",".join(["domain", "type", "fourth", *DIFFICULTIES])]
    for place, letters in sorted(rows.items()):
        lines.append(",".join([*place, *(letters.get(each, "") for each in DIFFICULTIES)]))
    spec = find_spec("perennial.tasks.knowlogic")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    file = Path(spec.submodule_search_locations[0]) / "usual_letters.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def draw(purpose: str, number: int) -> list[Question]:
    """Return so many questions of each domain, drawn under a seed of this purpose."""
    seed = derive_rng(0, f"knowlogic/guesser/{purpose}", 0).getrandbits(32)
    found = []
    for name in DOMAINS:
        domain = find_domain(name, load_knowledge())
        for scenario, counts in plan_scenarios(domain, number).items():
            grown = grow_scenario(ScenarioRequest(domain, scenario, counts, ("en",), seed))
            found += [question for of in grown.drawn.values() for question in of]
    return found


def form_of(question: Question) -> QuestionForm:
    """Return the form of a question."""
    return QuestionForm(question.domain, question.type, question.difficulty, question.has_none)


if __name__ == "__main__":
    main(sys.argv[1:])
