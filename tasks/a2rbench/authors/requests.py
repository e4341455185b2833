"""The calls of designer, architect and judge, and how a call is repeated with what was wrong."""

from collections.abc import Sequence

from perennial.schemas.a2rbench.authoring import AuthorRole
from perennial.schemas.ids import canonical_json
from perennial.schemas.model_calls.calls import ModelChoice, ModelRequest
from perennial.tasks.a2rbench.authors.forms import LONGEST_DESCRIPTION, CodeForm, RuleForm
from perennial.tasks.a2rbench.catalogue.rule import Dimension, RuleType
from perennial.tasks.a2rbench.inputs import EXAMPLES
from perennial.tasks.a2rbench.items import Shown
from perennial.tasks.a2rbench.readers.excerpt import mark_of
from perennial.tasks.a2rbench.values import LONGEST_TOKEN, MOST_TOKENS
from perennial.tasks.authors.request import author_request, conversation_request, message
from perennial.tasks.sandbox.guest.names import MODULES
from perennial.tasks.sandbox.limits import LIMITS

_FOLDER = "a2rbench/authors"
REPAIR_TEMPLATE = f"{_FOLDER}/repair.md.j2"
_FORMS = (
    "lists of tokens",
    "grids of tokens: lists of rows of the same length",
    "cubes of tokens: lists of layers of the same size, each of them a list of rows of the same length",
)
_SHAPES = ("a list", "a rectangular grid", "a cuboid")
_SAMPLES = ('["a", "b"]', '[["a", "b"], ["c", "d"]]', '[[["a", "b"], ["c", "d"]], [["e", "f"], ["g", "h"]]]')
# Of a former reply that is shown again, and of an output that a judge is shown.
_LONGEST_REPLY, _LONGEST_VALUE = 40_000, 8_000


def rule_request(
    designer: ModelChoice,
    dimension: Dimension,
    type_: RuleType,
    inspirations: Sequence[str],
    existing: Sequence[str],
) -> ModelRequest:
    """Return the call for a rule in words; the inspirations distinguish the candidates of all seeds."""
    return _request(
        "designer",
        designer,
        "design",
        form=_FORMS[dimension - 1],
        type=type_,
        inspirations=inspirations,
        existing=existing,
        longest=LONGEST_DESCRIPTION,
    )


def rule_verdict_request(
    judge: ModelChoice, dimension: Dimension, type_: RuleType, rule: RuleForm
) -> ModelRequest:
    """Return the call for the judgement of a rule in words."""
    words = _describe(rule)
    mark = mark_of(*words.values())
    return _request("judge", judge, "judge_rule", form=_FORMS[dimension - 1], type=type_, mark=mark, **words)


def code_request(
    architect: ModelChoice, dimension: Dimension, type_: RuleType, rule: RuleForm
) -> ModelRequest:
    """Return the call for a rule's script and inputs."""
    return _request(
        "architect",
        architect,
        "write_code",
        type=type_,
        form=_FORMS[dimension - 1],
        shape=_SHAPES[dimension - 1],
        sample=_SAMPLES[dimension - 1],
        modules=sorted(MODULES),
        seconds=f"{LIMITS.call_seconds:g}",
        examples=EXAMPLES,
        longest_token=LONGEST_TOKEN,
        most_tokens=MOST_TOKENS,
        **_describe(rule),
    )


def code_verdict_request(judge: ModelChoice, rule: RuleForm, code: CodeForm, shown: Shown) -> ModelRequest:
    """Return the call for the judgement of a script and what it made of the inputs."""
    return _request(
        "judge",
        judge,
        "judge_code",
        mark=mark_of(*_describe(rule).values(), code.python_code),
        code=code.python_code,
        examples=[(_cut(given), _cut(wanted)) for given, wanted in shown.examples],
        query=_cut(shown.query),
        answer=_cut(shown.answer),
        **_describe(rule),
    )


def repeat_request(first: ModelRequest, reply: str, problem: str, attempt: int) -> ModelRequest:
    """Return the call that shows a former reply, if there was any, and says what was wrong with it."""
    wrong = message("user", REPAIR_TEMPLATE, problem=problem)
    if reply.strip():
        former = {"role": "assistant", "content": reply[:_LONGEST_REPLY]}
        messages = (*first.messages, former, wrong)
    else:
        *before, last = first.messages
        messages = (*before, {**last, "content": f"{last['content']}\n\n{wrong['content']}"})
    choice = ModelChoice(first.model, first.params)
    return conversation_request(first.role, choice, messages, REPAIR_TEMPLATE, attempt)


def _request(role: AuthorRole, choice: ModelChoice, name: str, /, **values: object) -> ModelRequest:
    system, template = f"{_FOLDER}/{name}_system.md.j2", f"{_FOLDER}/{name}.md.j2"
    return author_request(role, choice, system, template, 0, **values)


def _describe(rule: RuleForm) -> dict[str, str]:
    return {"description": rule.rule_description, "inverse_description": rule.inverse_rule_description}


def _cut(value: object) -> str:
    text = canonical_json(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]} (cut off here)"
