"""Have a model write a domain's seed configuration, in the paper's two steps (v2, figures 8 and 9).

First the model fills the proposal's metadata into a prompt template, which gives a prompt for this domain;
then that prompt, with the form and the rules that we add, gives the configuration as JSON. Errors go
back to the model for repair. What it writes is parsed and validated, and never executed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from perennial.schemas.kumo.things import MIN_ACTIONS, MIN_TRUTHS, Proposal, SeedConfig
from perennial.schemas.model_calls.calls import Message, ModelChoice, ModelRequest, Reply
from perennial.schemas.rows import Rejection
from perennial.tasks.authors.attempts import BadReply, ask_until_read
from perennial.tasks.authors.reply import Unusable, unusable_status
from perennial.tasks.authors.request import author_request, conversation_request, message
from perennial.tasks.kumo.authors.config_reply import Accepted, Refused, config_schema, read_configuration
from perennial.tasks.kumo.authors.continuation import Completed, complete
from perennial.tasks.llm.asking import Ask
from perennial.tasks.llm.structured import JsonAsker

PROMPT_SYSTEM_TEMPLATE = "kumo/authors/configure_prompt_system.md.j2"
PROMPT_TEMPLATE = "kumo/authors/configure_prompt.md.j2"
SYSTEM_TEMPLATE = "kumo/authors/configure_system.md.j2"
TEMPLATE = "kumo/authors/configure.md.j2"
REPAIR_TEMPLATE = "kumo/authors/configure_repair.md.j2"
LONGEST_PROMPT = 20_000  # characters; the template filled in has some 2,000

_SCHEMA_NAME = "seed_configuration"
_FINDINGS_QUOTED = 40


@dataclass(frozen=True, slots=True)
class Configured:
    """What came of a proposal: its configuration, None where it was dropped, with the validator's warnings.

    `versions` is the number of its versions that were read. `call_ids` are all calls made for it, in order;
    `rejections` what was found in each refused version, with the call that completed it.
    """

    config: SeedConfig | None
    warnings: tuple[str, ...]
    versions: int
    call_ids: tuple[str, ...]
    rejections: tuple[Rejection, ...]


@dataclass(slots=True)
class _Work:
    """The work on one proposal so far."""

    ask: Ask
    ask_json: JsonAsker
    configurer: ModelChoice
    proposal: Proposal
    tries: int
    versions: int = 0
    call_ids: list[str] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)

    def refuse(self, findings: Iterable[tuple[str, str]], call_id: str) -> None:
        for rule, text in findings:
            self.rejections.append(Rejection("configuration", self.proposal.name, rule, text, call_id))

    def drop(self, reason: str) -> Configured:
        text = f"the domain is dropped: {reason}"
        self.rejections.append(Rejection("configuration", self.proposal.name, "dropped", text))
        return self.configure(None, ())

    def configure(self, config: SeedConfig | None, warnings: tuple[str, ...]) -> Configured:
        return Configured(config, warnings, self.versions, tuple(self.call_ids), tuple(self.rejections))


async def configure_domain(
    ask: Ask,
    configurer: ModelChoice,
    proposal: Proposal,
    *,
    continuations: int = 3,
    repairs: int = 3,
    ask_json: JsonAsker | None = None,
) -> Configured:
    """Return the proposal's configuration as the model writes it, or None after `repairs` repairs.

    Name, category, goal, nouns and book title are set from the proposal, whatever the model writes there;
    all else is as it wrote it. Each version is continued up to `continuations` times where it is cut off,
    and must be of the form, have no error of the validator, and keep the minimal sizes. The rules in
    `rejections` are those of `perennial.tasks.kumo.validation`, `unreadable` (no JSON, or not of the form),
    the status of a reply without text, `cut_off`, `not_continued`, `long_prompt`, and `drop` at the end.
    Give one `ask_json` to many domains: it remembers what the server can do. Raises EndpointFailed where a
    call fails without an answer: the same call on the same ledger resumes there.
    """
    work = _Work(ask, ask_json or JsonAsker(ask), configurer, proposal, repairs + 1)
    prompt = await _domain_prompt(work)
    if prompt is None:
        return work.drop("there is no prompt to make its configuration from")
    asking = partial(configuration_request, configurer, prompt)
    request = asking()
    for version in range(1, work.tries + 1):
        done = await _write_prompt(work, request, continuations)
        work.versions = version
        result = read_configuration(done.text, proposal) if done.problem is None else _refusal(done.problem)
        if isinstance(result, Accepted):
            return work.configure(result.config, result.warnings)
        work.refuse(result.findings, done.call_ids[-1])
        if done.problem is not None and done.problem.is_final:
            break
        if done.text.strip():
            request = repair_request(configurer, asking().messages, done.text, result, version)
        else:
            request = asking(result.problem, version)
    return work.drop(f"none of {version} versions of its configuration is valid")


async def _domain_prompt(work: _Work) -> str | None:
    """Return the prompt that the model writes for this domain, None where it writes none."""

    def make_request(attempt: int, bad: BadReply | None) -> ModelRequest:
        return prompt_request(work.configurer, work.proposal, bad.problem.message if bad else None, attempt)

    asked = await ask_until_read(work.ask, make_request, _read_prompt, work.tries)
    work.call_ids.extend(asked.call_ids)
    for bad in asked.bad:
        message = f"the prompt for this domain: {bad.problem.message}"
        work.refuse([(bad.problem.rule, message)], bad.reply.call_id)
    return asked.value


async def _read_prompt(reply: Reply) -> str | Unusable:
    problem = unusable_status(reply)
    if problem is None and len(reply.content) > LONGEST_PROMPT:
        length = f"{len(reply.content):,} characters, expected {LONGEST_PROMPT:,} at most"
        problem = Unusable("long_prompt", f"the prompt has {length}; write the prompt alone")
    return problem or reply.content


async def _write_prompt(work: _Work, request: ModelRequest, continuations: int) -> Completed:
    reply = await work.ask_json(request, _SCHEMA_NAME, config_schema())
    done = await complete(work.ask, request, reply, continuations)
    work.call_ids.extend(done.call_ids)
    return done


def prompt_request(
    configurer: ModelChoice, proposal: Proposal, problem: str | None = None, attempt: int = 0
) -> ModelRequest:
    """Return the call of the first step: for the prompt of this domain (figure 8).

    `problem` is what was wrong with the last of `attempt` replies; a call that said nothing of it might get
    the same reply again.
    """
    return author_request(
        "configurer",
        configurer,
        PROMPT_SYSTEM_TEMPLATE,
        PROMPT_TEMPLATE,
        attempt,
        name=proposal.name,
        category=proposal.category,
        goal=proposal.goal,
        truths=proposal.truths,
        actions=proposal.actions,
        truth_noun=proposal.truth_noun,
        action_noun=proposal.action_noun,
        problem=problem,
        attempt=attempt,
    )


def configuration_request(
    configurer: ModelChoice,
    prompt: str,
    problem: str | None = None,
    attempt: int = 0,
) -> ModelRequest:
    """Return the call of the second step: for the configuration, by the domain's prompt (figure 9).

    `problem` is what was wrong with the last of `attempt` replies, where none of it can be shown.
    """
    return author_request(
        "configurer",
        configurer,
        SYSTEM_TEMPLATE,
        TEMPLATE,
        attempt,
        prompt=prompt.strip("\n"),
        min_truths=MIN_TRUTHS,
        min_actions=MIN_ACTIONS,
        problem=problem,
        attempt=attempt,
    )


def repair_request(
    configurer: ModelChoice, asking: Sequence[Message], text: str, refused: Refused, version: int
) -> ModelRequest:
    """Return the call that asks to repair refused version number `version`, from 1.

    The conversation is that which asked for the configuration, the refused text, and what was found.
    """
    is_form = len(refused.findings) == 1 and refused.findings[0][1] == refused.problem
    quoted = [] if is_form else refused.quote(_FINDINGS_QUOTED)
    more = 0 if is_form else len(refused.findings) - len(quoted)
    repair = message(
        "user", REPAIR_TEMPLATE, version=version, problem=refused.problem, findings=quoted, more=more
    )
    messages = (*asking, {"role": "assistant", "content": text}, repair)
    return conversation_request("configurer", configurer, messages, REPAIR_TEMPLATE, version)


def _refusal(problem: Unusable) -> Refused:
    return Refused(problem.message, ((problem.rule, problem.message),))
