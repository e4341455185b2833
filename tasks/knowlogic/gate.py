"""The gate's test of one question in all its languages, before anybody plays: proof, texts, labels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from perennial.schemas.knowlogic.question import Question
from perennial.schemas.knowlogic.things import LETTERS, Decision, Language, QuestionText
from perennial.tasks.knowlogic.answers import letter_sets, read_answer, write_answer
from perennial.tasks.knowlogic.domain import Domain
from perennial.tasks.knowlogic.problem import Problem, problem_of, right_letters
from perennial.tasks.knowlogic.question import write_questions
from perennial.tasks.knowlogic.quotas import is_precise
from perennial.tasks.knowlogic.wording.layout import read_text, says_the_same, split_prompt
from perennial.tasks.knowlogic.wording.scripts import find_foreign


@dataclass
class Tested:
    """What was proved of a question and tried on it, and what does not hold (`faults`, in words)."""

    texts: int = 0
    is_proved: bool = False
    options: int = 0
    changes: int = 0
    refused: int = 0
    faults: list[str] = field(default_factory=list)


def check_pair(domain: Domain, questions: Sequence[Question], languages: Sequence[Language]) -> Tested:
    """Return what holds of a question, given as its rows in all languages.

    Two engines find one arrangement and decide each option alike; the letters follow. Each text is read back
    to exactly the problem and holds no word of the other language. Ids, labels, level and class are those
    that are computed again. Changed texts are found, and all wrong sets of letters are refused.
    """
    tested = Tested()
    problem = _read_problem(questions, languages, tested)
    if problem is None:
        return tested
    decision = _check_proof(domain, problem, tested)
    if decision is not None:
        _check_letters(problem, decision, questions, tested)
        _check_rows(domain, problem, decision, questions, tested)
    for question in questions:
        _check_text(domain, problem, question, tested)
    if not tested.faults:
        for question in questions:
            _try_changes(domain, problem, question, tested)
            _try_replies(question, tested)
    return tested


def _read_problem(
    questions: Sequence[Question], languages: Sequence[Language], tested: Tested
) -> Problem | None:
    """Return the problem of all rows; None, with a fault, where they have not the same one."""
    held = [question.language for question in questions]
    if sorted(held) != sorted(languages):
        tested.faults.append(f"the pair has texts in {', '.join(held)}, expected {', '.join(languages)}")
    payloads = {question.payload for question in questions}
    if len(payloads) != 1 or len({question.pair for question in questions}) != 1:
        tested.faults.append("the texts of the pair are of different problems")
        return None
    try:
        return problem_of(payloads.pop())
    except ValueError as error:
        tested.faults.append(f"the payload is no problem ({error})")
        return None


def _check_proof(domain: Domain, problem: Problem, tested: Tested) -> Decision | None:
    """Return what both engines find; None, with a fault, where they differ or fail."""
    if len(set(problem.options)) < len(problem.options):
        tested.faults.append("two options are the same")
    if set(problem.options) & set(problem.statements):
        tested.faults.append("an option repeats a statement")
    if len(set(problem.statements)) < len(problem.statements):
        tested.faults.append("a statement is repeated")
    if len(problem.options) not in (len(LETTERS) - 1, len(LETTERS)):
        tested.faults.append(f"there are {len(problem.options)} options, expected 3 or 4")
    try:
        decision, second = domain.decide(problem), domain.check(problem)
    except (ValueError, LookupError, ArithmeticError) as error:
        tested.faults.append(f"an engine fails ({type(error).__name__}: {error})")
        return None
    if decision != second:
        tested.faults.append(f"the engines differ: {decision} and {second}")
        return None
    if decision.arrangements != 1:
        tested.faults.append(f"the statements allow {decision.arrangements} arrangements, expected 1")
    if len(decision.verdicts) != len(problem.options):
        tested.faults.append(
            f"the engines decide {len(decision.verdicts)} options, expected {len(problem.options)}"
        )
        return None
    for letter, verdict in zip(LETTERS, decision.verdicts, strict=False):
        if verdict is None:
            tested.faults.append(f"option {letter} is neither forced true nor forced false")
    tested.is_proved = decision.arrangements == 1
    tested.options = sum(verdict is not None for verdict in decision.verdicts)
    return decision if tested.options == len(problem.options) else None


def _check_letters(
    problem: Problem, decision: Decision, questions: Sequence[Question], tested: Tested
) -> None:
    right = right_letters(problem, decision.verdicts)
    if not right:
        tested.faults.append("no option is right")
    if is_precise(problem.type) and len(right) != 1:
        tested.faults.append(f"{problem.type} has the right letters {right}, expected one")
    for question in questions:
        if question.letters != right:
            tested.faults.append(f"the letters are {question.letters!r}, expected {right!r}")


def _check_rows(
    domain: Domain, problem: Problem, decision: Decision, questions: Sequence[Question], tested: Tested
) -> None:
    """Find columns that differ from those that the problem gives when it is written once more."""
    letters, labels = right_letters(problem, decision.verdicts), domain.labels(problem)
    if labels.chain_length < 1:
        tested.faults.append("no statement is needed to decide the options")
    for question in questions:
        (again,) = write_questions(
            domain, problem, labels, letters, [question.language], question.rejected_draws
        )
        for name in Question.__slots__:
            stored, expected = getattr(question, name), getattr(again, name)
            if stored != expected and name != "letters":
                tested.faults.append(f"{name} ({question.language}) is not what the problem gives")


def _check_text(domain: Domain, problem: Problem, question: Question, tested: Tested) -> None:
    language = question.language
    try:
        shown = split_prompt(question.prompt)
        if shown != (question.as_text, language):
            tested.faults.append(f"the prompt ({language}) shows another text")
        if not says_the_same(problem, read_text(domain, shown[0], language)):
            tested.faults.append(f"the text ({language}) says something else than the problem")
        else:
            tested.texts += 1
    except (ValueError, LookupError) as error:
        tested.faults.append(f"the text ({language}) cannot be read back ({error})")
    if foreign := find_foreign(question.prompt, language):
        tested.faults.append(f"the text ({language}) holds {foreign!r} of another language")


def _try_changes(domain: Domain, problem: Problem, question: Question, tested: Tested) -> None:
    """Change the text, and count the changes and those of them that reading it back finds."""
    for text, language in _change_text(question):
        tested.changes += 1
        try:
            is_found = not says_the_same(problem, read_text(domain, text, language))
        except (ValueError, LookupError):
            is_found = True
        tested.refused += is_found
        if not is_found:
            tested.faults.append(f"a changed text ({question.language}) is read as the same problem")


def _change_text(question: Question) -> Iterator[tuple[QuestionText, Language]]:
    """Yield the text without its last statement, with two options swapped, and as the other language's."""
    shown, language = question.as_text, question.language
    yield shown._replace(text=shown.text.rpartition("\n")[0]), language
    first, second, *others = shown.options
    yield shown._replace(options=(second, first, *others)), language
    yield shown, "en" if language == "zh" else "zh"


def _try_replies(question: Question, tested: Tested) -> None:
    """Give every set of letters as a reply: all are read, and all but the right one are refused."""
    for letters in letter_sets():
        answer = read_answer(f"[ABCD] 【A】 ...\n{write_answer(letters, question.language)}.")
        if answer is None or answer.letters != letters:
            tested.faults.append(f"the reply {letters} is not read")
        elif letters != question.letters:
            tested.changes += 1
            tested.refused += 1


def find_repeats(questions: Sequence[Question]) -> list[str]:
    """Return the ids of questions whose prompt another one before them shows."""
    seen: set[str] = set()
    repeats = []
    for question in questions:
        if question.prompt in seen:
            repeats.append(question.instance_id)
        seen.add(question.prompt)
    return repeats
