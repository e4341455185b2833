"""Have a model write a domain's seed configuration, in the paper's two steps (v2, figures 8 and 9).

First the model fills the proposal's metadata into a prompt template, which gives a prompt for this domain;
then that prompt, with the form and the rules that we add, gives the configuration as JSON. Errors go
back to the model for repair. What it writes is parsed and validated, and never executed.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial

from perennial.prompts.kumo.world_kinds import guidebook_words
from perennial.prompts.render import template_hash
from perennial.schemas.errors import UnreadableInput, count, shorten
from perennial.schemas.kumo.things import MIN_ACTIONS, MIN_TRUTHS, Proposal, SeedConfig
from perennial.schemas.model_calls import Message, ModelChoice, ModelRequest, Reply
from perennial.schemas.rows import Rejection
from perennial.tasks.authors import (
    BadReply,
    Unusable,
    ask_until_read,
    author_request,
    conversation_request,
    message,
    unusable_status,
)
from perennial.tasks.kumo.configuration import parse_json, read_config
from perennial.tasks.kumo.validation import validate_config
from perennial.tasks.llm.structured import Ask, JsonAsker, JsonSchema, is_cut_off, json_text, object_schema

# Read a seed configuration out of a model's reply: its form, and all that the validator finds.


_SOURCE = "the configuration"
# The largest of the bundled domains has less than half of this.
_MOST_CHARACTERS = 400_000
LONGEST_NOTE = 300  # characters; the longest bundled one has fewer
_NOTES = ("truth_notes", "action_notes")


@dataclass(frozen=True, slots=True)
class Accepted:
    """A configuration without an error, and the validator's warnings."""

    config: SeedConfig
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RefusedVersion:
    """Why a version of a configuration is refused: in one line, and (rule, message) of each finding."""

    problem: str
    findings: tuple[tuple[str, str], ...]

    def quote(self, count: int) -> list[str]:
        """The messages of `count` findings at most, so that every rule has its turn."""
        seen: Counter[str] = Counter()
        turns = []
        for rule, text in self.findings:
            turns.append((seen[rule], text))
            seen[rule] += 1
        return [text for _, text in sorted(turns, key=lambda turn: turn[0])[:count]]


def read_configuration(content: str, proposal: Proposal) -> Accepted | RefusedVersion:
    """The configuration that the reply holds, or why it is refused: for its form or its findings.

    Name, category, goal, nouns and book title are the proposal's: they are perennial's own data by now, and
    the model need not write them. Where it does, the proposal's count. All else stays as it was written.
    """
    try:
        config = _parse(content, proposal)
    except UnreadableInput as error:
        return RefusedVersion(str(error), (("unreadable", str(error)),))
    findings = validate_config(config, min_truths=MIN_TRUTHS, min_actions=MIN_ACTIONS)
    problems = [(finding.rule, finding.message) for finding in findings if finding.severity == "error"]
    if problems := [*problems, *_note_problems(config)]:
        counts = Counter(rule for rule, _ in problems)
        rules = ", ".join(f"{rule} ({number})" for rule, number in counts.items())
        return RefusedVersion(f"{count(len(problems), 'error')} found, by rule: {rules}", tuple(problems))
    return Accepted(config, tuple(finding.message for finding in findings))


def config_schema() -> JsonSchema:
    """The JSON schema of a reply: the keys of `config_form` that a model has to write."""
    texts = {"type": "array", "items": {"type": "string"}}
    bounds = {"type": "array", "items": {"type": "number"}, "description": "low and high of a float state"}
    state = object_schema(
        label={"type": ["string", "null"], "description": "the outcome of a str state"},
        range={"anyOf": [bounds, {"type": "null"}]},
        rules_out={**texts, "description": "the truths that are impossible after this outcome"},
    )
    outcome = object_schema(
        action={"type": "string"},
        type={"type": "string", "enum": ["str", "float"]},
        unit={"type": "string", "description": "the unit of the number, or empty"},
        step={"type": ["number", "null"], "description": "of which a float outcome's numbers are multiples"},
        states={"type": "array", "items": state},
    )
    about = {"type": "string", "description": "what it is, in one sentence; nothing of outcomes"}
    notes = {"type": "array", "items": object_schema(name={"type": "string"}, note=about)}
    return object_schema(
        truths=texts,
        actions=texts,
        truth_notes=notes,
        action_notes=notes,
        outcomes={"type": "array", "items": outcome},
    )


def _parse(content: str, proposal: Proposal) -> SeedConfig:
    if len(content) > _MOST_CHARACTERS:
        raise UnreadableInput(
            f"the reply has {len(content):,} characters, at most {_MOST_CHARACTERS:,} are read; give one "
            "JSON object and nothing else"
        )
    value = parse_json(json_text(content), _SOURCE)
    if not isinstance(value, dict):
        return read_config(value, _SOURCE)
    ours = {
        "name": proposal.name,
        "category": proposal.category,
        "goal": proposal.goal,
        "truth_noun": proposal.truth_noun,
        "action_noun": proposal.action_noun,
        "book_title": proposal.book_title,
    }
    notes = {key: _read_notes(value[key], key) for key in _NOTES if isinstance(value.get(key), list)}
    return read_config({**value, **notes, **ours}, _SOURCE)


def _read_notes(entries: Sequence[object], key: str) -> dict[str, object]:
    """The notes by name: strict schemas have no keys that a model chooses, so that it writes a list."""
    notes: dict[str, object] = {}
    for entry in entries:
        match entry:
            case {"name": str(name), "note": note, **other} if not other and name not in notes:
                notes[name] = note
            case _:
                raise UnreadableInput(
                    f"{_SOURCE}: {key}: expected objects with name and note, each name once, got "
                    f"{shorten(repr(entry))}"
                )
    return notes


def _note_problems(config: SeedConfig) -> Iterator[tuple[str, str]]:
    """(rule, message) of each note that does not just say what a truth or an action is.

    Books show notes to players, and no check of rules reads them.
    """
    from perennial.tasks.kumo.scoring import check_words

    addressing = guidebook_words()["addressing"]
    for name, note in (*config.truth_notes.items(), *config.action_notes.items()):
        # A word that the domain itself is about speaks to nobody.
        speaks = addressing.intersection(_WORD.findall(note.casefold())).difference(
            _WORD.findall(f"{name} {config.goal} {config.truth_noun} {config.action_noun}".casefold())
        )
        begin = f"the note for {shorten(repr(name))}"
        if len(note) > LONGEST_NOTE or len(note.splitlines()) > 1:
            yield "long-note", f"{begin} is longer than a line of {LONGEST_NOTE} characters; shorten it"
        elif speaks:
            yield "note-to-players", f"{begin} says {min(speaks)!r} to players; say only what it is"
    words = check_words(config)
    if words.verdict == "bad" and check_words(replace(config, truth_notes={})).verdict != "bad":
        yield "words-in-notes", f"{words.value:.0%} {words.text}; {words.remedy}"


# Have a model continue a JSON document that was cut off, and put the pieces together.
#
# The paper's authors found that output is often cut off: the model is asked whether it is complete and to
# continue from the cut. Pieces are joined as they are. What a model writes around a piece, or repeats of
# the one before, is left out, and only where the whole can then be read.


CONTINUATION_TEMPLATE = "kumo/authors/configure_continue.md.j2"

_ENDING_SHOWN = 200
_LONGEST_OVERLAP = 4000
# Text of this length stands twice in a row in no sound configuration; a shorter repeat may be meant.
_SURE_OVERLAP = 20
_LEAST_OVERLAP = 3

_OPENING_FENCE = re.compile(r"^[ \t]*```[ \t]*(\w*)[ \t]*\n", re.MULTILINE)
_WORD = re.compile(r"\w+")
_CLOSING_FENCE = re.compile(r"\n[ \t]*```\s*\Z")
_FIRST_KEY = re.compile(r'\{\s*"([^"\\]+)"\s*:')


@dataclass(frozen=True, slots=True)
class Completed:
    """A reply with its continuations: the text merged so far, all calls, and why it is unusable, if it is."""

    text: str
    call_ids: tuple[str, ...]
    problem: Unusable | None


async def complete(ask: Ask, request: ModelRequest, reply: Reply, continuations: int) -> Completed:
    """The reply to the request, continued as long as it is cut off, `continuations` times at most.

    Cut off is a reply whose document ends in the middle, or that ran out of tokens before one began. The
    rules of `problem` are the statuses of a reply that is no text, `cut_off` where the limit is reached, and
    `not_continued` where a piece does not fit. Raises EndpointFailed where a call fails without an answer.
    """
    text, call_ids, messages = "", [reply.call_id], list(request.messages)
    for left in range(continuations, -1, -1):
        # A reply that ran out of tokens can be continued where it has said anything.
        has_begun = reply.status == "truncated" and bool(reply.content.strip())
        problem = None if has_begun else unusable_status(reply)
        if problem is not None:
            return Completed(text, tuple(call_ids), problem)
        whole = merge(text, reply.content) if text else reply.content
        if whole is None:
            misfit = (
                f"the continuation, which begins with {reply.content[:60]!r}, does not fit the cut off "
                "document; write the whole document in one piece, shorter"
            )
            return Completed(text, tuple(call_ids), Unusable("not_continued", misfit))
        text = whole
        if not is_cut_off(text) and (reply.status != "truncated" or _has_document(text)):
            return Completed(text, tuple(call_ids), None)
        if left:
            going_on = message("user", CONTINUATION_TEMPLATE, ending=text[-_ENDING_SHOWN:])
            messages += [{"role": "assistant", "content": reply.content}, going_on]
            asking = replace(request, messages=tuple(messages), template=CONTINUATION_TEMPLATE)
            reply = await ask(replace(asking, template_hash=template_hash(CONTINUATION_TEMPLATE)))
            call_ids.append(reply.call_id)
    reason = f"the document is still cut off after {continuations} continuations; write it shorter"
    return Completed(text, tuple(call_ids), Unusable("cut_off", reason))


def merge(text: str, more: str) -> str | None:
    """A cut off reply and its continuation as one text, None where they do not fit.

    They fit where the result holds a whole document or one that is cut off further on. Left out of the
    continuation are a fence around it, and its beginning where it repeats the end of the text: a long
    repeat always, a short one (and line ends) only where the pieces do not fit as they are. A continuation
    that begins the document again replaces the text.
    """
    piece = _remove_fence(more)
    if _begins_anew(text, piece):
        return piece if _is_readable(piece) else None
    if not is_cut_off(text):
        return text + more  # nothing has begun yet
    candidates = _candidates(_CLOSING_FENCE.sub("", text), piece)
    return next((whole for whole in candidates if _is_readable(whole)), None)


def _candidates(text: str, piece: str) -> Iterator[str]:
    """The ways to join the pieces, from the surest on."""
    pieces = dict.fromkeys((piece, piece.lstrip("\r\n")))
    overlaps = {piece: _overlap(text, piece) for piece in pieces}
    yield from (text + piece[overlaps[piece] :] for piece in pieces if overlaps[piece] >= _SURE_OVERLAP)
    yield from (text + piece for piece in pieces)
    yield from (text + piece[overlaps[piece] :] for piece in pieces if overlaps[piece] >= _LEAST_OVERLAP)


def _overlap(text: str, piece: str) -> int:
    """The length of the longest beginning of the piece with which the text ends."""
    longest = min(len(text), len(piece), _LONGEST_OVERLAP)
    return next((length for length in range(longest, 0, -1) if text.endswith(piece[:length])), 0)


def _remove_fence(more: str) -> str:
    """What is in a json block, or in any block that the text begins with; else all of it.

    A bare fence further on ends a block of the piece before, whose end cannot be in the document.
    """
    blanks = len(more) - len(more.lstrip())
    for fence in _OPENING_FENCE.finditer(more):
        if fence[1].lower() == "json" or fence.start() <= blanks:
            more = more[fence.end() :]
            break
    end = re.search(r"^[ \t]*```[ \t]*$", more, re.MULTILINE)
    return more if end is None else more[: end.start()].removesuffix("\n")


def _begins_anew(text: str, piece: str) -> bool:
    begun, again = _FIRST_KEY.search(text), _FIRST_KEY.match(piece.lstrip())
    return begun is not None and again is not None and begun[1] == again[1]


def _is_readable(text: str) -> bool:
    return is_cut_off(text) or _has_document(text)


def _has_document(text: str) -> bool:
    try:
        json_text(text)
    except UnreadableInput:
        return False
    return True


PROMPT_SYSTEM_TEMPLATE = "kumo/authors/configure_prompt_system.md.j2"
PROMPT_TEMPLATE = "kumo/authors/configure_prompt.md.j2"
SYSTEM_TEMPLATE = "kumo/authors/configure_system.md.j2"
TEMPLATE = "kumo/authors/configure.md.j2"
REPAIR_TEMPLATE = "kumo/authors/configure_repair.md.j2"
NEAR_DUPLICATE = "near_duplicate"
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

    @property
    def status(self) -> str:
        """`accepted` as it was first written, `repaired`, NEAR_DUPLICATE or `dropped`."""
        if self.config is None:
            is_twin = self.rejections[-1].rule == NEAR_DUPLICATE
            return NEAR_DUPLICATE if is_twin else "dropped"
        return "accepted" if self.versions == 1 else "repaired"

    def rename(self, name: str) -> "Configured":
        """The same for a domain of this name."""
        config = None if self.config is None else replace(self.config, name=name)
        return replace(
            self, config=config, rejections=tuple(replace(old, subject=name) for old in self.rejections)
        )

    def refuse_as(self, rule: str, name: str, reason: str) -> "Configured":
        """The same without its configuration, which is refused for this rule."""
        rejection = Rejection("configuration", name, rule, reason, self.call_ids[-1])
        return replace(self, config=None, rejections=(*self.rejections, rejection))


@dataclass(slots=True)
class _ConfigurationWork:
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
    """The proposal's configuration as the model writes it, or None after `repairs` repairs.

    Name, category, goal, nouns and book title are set from the proposal, whatever the model writes there;
    all else is as it wrote it. Each version is continued up to `continuations` times where it is cut off,
    and must be of the form, have no error of the validator, and keep the minimal sizes. The rules in
    `rejections` are those of `perennial.tasks.kumo.validation`, `unreadable` (no JSON, or not of the form),
    the status of a reply without text, `cut_off`, `not_continued`, `long_prompt`, and `drop` at the end.
    Give one `ask_json` to many domains: it remembers what the server can do. Raises EndpointFailed where a
    call fails without an answer: the same call on the same ledger resumes there.
    """
    work = _ConfigurationWork(ask, ask_json or JsonAsker(ask), configurer, proposal, repairs + 1)
    prompt = await _domain_prompt(work)
    if prompt is None:
        return work.drop("there is no prompt to make its configuration from")
    asking = partial(configuration_request, configurer, prompt)
    request = asking()
    for version in range(1, work.tries + 1):
        done = await _write_prompt(work, request, continuations)
        work.versions = version
        if done.problem is None:
            result = read_configuration(done.text, proposal)
        else:
            result = RefusedVersion(done.problem.message, ((done.problem.rule, done.problem.message),))
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


async def _domain_prompt(work: _ConfigurationWork) -> str | None:
    """The prompt for this domain, of the first step (figure 8)."""

    def make_request(attempt: int, bad: BadReply | None) -> ModelRequest:
        # What was wrong with the last reply is said: a call that says nothing of it might get the same again.
        return author_request(
            "configurer",
            work.configurer,
            PROMPT_SYSTEM_TEMPLATE,
            PROMPT_TEMPLATE,
            attempt,
            **asdict(work.proposal),
            problem=bad.problem.message if bad else None,
            attempt=attempt,
        )

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


async def _write_prompt(work: _ConfigurationWork, request: ModelRequest, continuations: int) -> Completed:
    reply = await work.ask_json(request, _SCHEMA_NAME, config_schema())
    done = await complete(work.ask, request, reply, continuations)
    work.call_ids.extend(done.call_ids)
    return done


def configuration_request(
    configurer: ModelChoice, prompt: str, problem: str | None = None, attempt: int = 0
) -> ModelRequest:
    """The call of the second step: for the configuration, by the domain's prompt (figure 9).

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
        longest_note=LONGEST_NOTE,
        problem=problem,
        attempt=attempt,
    )


def repair_request(
    configurer: ModelChoice, asking: Sequence[Message], text: str, refused: RefusedVersion, version: int
) -> ModelRequest:
    """The call that asks to repair refused version number `version`, from 1.

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
