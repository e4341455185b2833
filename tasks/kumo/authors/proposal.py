"""Have a model propose new domains (paper v2, figure 7), unlike those that exist.

Each round is one call for the domains still missing. It names those that exist and says why earlier
proposals were refused, so that no two rounds ask the same.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from perennial.schemas.errors import UnreadableInput, shorten
from perennial.schemas.kumo.things import Proposal, Quota
from perennial.schemas.model_calls import ModelChoice
from perennial.schemas.rows import Rejection
from perennial.schemas.text import expect_plain, unfit_part
from perennial.tasks.authors import Unusable, author_request, count_causes, describe_problems, unusable_status
from perennial.tasks.kumo.configuration import parse_json
from perennial.tasks.kumo.validation.validate import fold_name
from perennial.tasks.llm.structured import Ask, JsonAsker, JsonSchema, json_text, object_schema

# The JSON form of proposed domains, as a model writes them.


LONGEST_NAME = 60
LONGEST_NOUN = 40
LONGEST_TITLE = 100
LONGEST_PHRASE = 300

_MOST_ENTRIES = 1000
_PROBLEMS_SHOWN = 8
_JOINERS = "\u200c\u200d"  # part of correct spelling in several scripts
_ABOUT = {
    "name": "the domain's name, such as Mineral Identification",
    "category": "the category that it belongs to",
    "goal": "one sentence: what a player wants to find out",
    "truths": "a phrase: what its truths are, the possible answers",
    "actions": "a phrase: what its actions are, by which answers are ruled out",
    "truth_noun": "what one truth is called, in the singular",
    "action_noun": "what one action is called, in the singular",
    "book_title": "the title of a guidebook to it",
}


class NotTheForm(UnreadableInput):
    """A value that is JSON but not of the form asked for."""


def _one_line(value: object) -> object:
    if isinstance(value, str):
        if not value.strip():
            raise ValueError("expected some text, got a blank")
        if value != value.strip():
            raise ValueError("expected no spaces around it")
        if not all(c.isprintable() or c in _JOINERS for c in value):
            raise ValueError("expected one visible line, got a line break or an invisible character")
        expect_plain(value)
    return value


_OneLine = BeforeValidator(_one_line)
Name = Annotated[str, Field(strict=True, max_length=LONGEST_NAME), _OneLine]
Noun = Annotated[str, Field(strict=True, max_length=LONGEST_NOUN), _OneLine]
Title = Annotated[str, Field(strict=True, max_length=LONGEST_TITLE), _OneLine]
Phrase = Annotated[str, Field(strict=True, max_length=LONGEST_PHRASE), _OneLine]


class ProposalForm(BaseModel):
    """One proposed domain: all keys are there, none is blank, each is one line of limited length."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    category: Name
    goal: Phrase
    truths: Phrase
    actions: Phrase
    truth_noun: Noun
    action_noun: Noun
    book_title: Title

    @model_validator(mode="after")
    def _two_nouns(self) -> "ProposalForm":
        if fold_name(self.truth_noun) == fold_name(self.action_noun):
            raise ValueError(f"truth_noun and action_noun are both {self.truth_noun!r}, expected two words")
        return self


def proposals_schema() -> JsonSchema:
    """The JSON schema of a reply: an object with the list `domains`."""
    texts = {key: {"type": "string", "description": about} for key, about in _ABOUT.items()}
    return object_schema(domains={"type": "array", "items": object_schema(**texts)})


def proposal_entries(content: str) -> list[Any]:
    """The entries of the list `domains` in a reply, each still to be read by `read_entry`.

    Raises UnreadableInput where the reply holds no JSON, NotTheForm where it is no such list.
    """
    value = parse_json(json_text(content), "the reply")
    entries = value.get("domains") if isinstance(value, dict) else None
    if not isinstance(entries, list) or set(value) != {"domains"}:
        raise NotTheForm('expected an object with the one key "domains" and a list under it')
    if not 0 < len(entries) <= _MOST_ENTRIES:
        raise NotTheForm(f"expected a list of one domain or more under domains, got {len(entries)}")
    return entries


def read_entry(entry: object) -> ProposalForm:
    """The form of one entry; raise NotTheForm, naming each wrong key, where it is not of that form."""
    try:
        return ProposalForm.model_validate(entry)
    except ValidationError as error:
        raise NotTheForm(describe_problems(error, _PROBLEMS_SHOWN)) from None


def proposal_line(proposal: Proposal) -> str:
    """The proposal as a line of a file that people edit."""
    return json.dumps({key: getattr(proposal, key) for key in _ABOUT}, ensure_ascii=False)


def read_proposals(text: str, source: str) -> list[Proposal]:
    """The proposals that `proposal_line` wrote and people may have edited, one per line.

    Raises UnreadableInput that names the line: for one that is not of the form, or that has the name or the
    goal of an earlier one.
    """
    proposals: list[Proposal] = []
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{source}, line {number}"
        if not line.strip():
            continue
        try:
            form = read_entry(parse_json(line, where))
        except NotTheForm as error:
            raise NotTheForm(f"{where}: {error}") from None
        twin = nearest_twin(form.name, form.goal, [KnownDomain(old.name, old.goal) for old in proposals])
        if twin is not None:
            raise NotTheForm(f"{where}: {form.name!r}: {twin.message}, or remove one of the two lines")
        proposals.append(Proposal(**form.model_dump()))
    if not 0 < len(proposals) <= _MOST_ENTRIES:
        raise NotTheForm(f"{source}: expected 1 to {_MOST_ENTRIES:,} proposals, got {len(proposals):,}")
    return proposals


def entry_name(entry: object) -> str:
    """What an entry that may be of any form calls itself, shortened, or `unnamed`; it is quoted later."""
    name = entry.get("name") if isinstance(entry, dict) else None
    if not isinstance(name, str) or not name.strip() or unfit_part(name):
        return "unnamed"
    return " ".join(shorten(name).split())


# How many domains of each category a proposer may propose.
#
# Some categories have a number of their own; the others share the rest evenly: each may have its whole share,
# and as many of them one more as the division leaves over, whichever come first.


@dataclass(frozen=True, slots=True)
class CategoryQuotas:
    """Of `wanted` domains, how many each category may have; without categories any may have all."""

    wanted: int
    categories: tuple[Quota, ...]

    def match(self, category: str) -> str | None:
        """The category as it was asked for, in whatever case it is written; None where it was not."""
        if not self.categories:
            return category
        return next((asked for asked, _ in self.categories if fold_name(asked) == fold_name(category)), None)

    def room(self, accepted: Iterable[str]) -> Mapping[str, int]:
        """How many more domains each category may have beside those of `accepted`, in order."""
        counts = Counter(accepted)
        sharing = [name for name, number in self.categories if number is None]
        rest = self.wanted - sum(number for _, number in self.categories if number is not None)
        share, left_over = divmod(rest, len(sharing)) if sharing else (0, 0)
        left_over -= sum(max(0, counts[name] - share) for name in sharing)
        return {
            name: max(0, share - counts[name]) + (left_over > 0 and counts[name] <= share)
            if number is None
            else max(0, number - counts[name])
            for name, number in self.categories
        }


# Tell whether a proposed domain is one that exists already, under another wording or with the same truths.
#
# Names and goals are compared by what is left of them without case, punctuation, plural endings and words
# that every domain has, in alphabetical order of the words. The score is rapidfuzz's `ratio` of the
# two: 100 for equal ones, 0 for ones without a letter in common. Where name and goal are taken together, that
# of the names is `token_set_ratio`: 100 where one name has all words of the other.


# Names this much alike differ by a letter or two, goals by one short word; together they may differ more.
NAME_THRESHOLD = 90.0
GOAL_THRESHOLD = 95.0
MEAN_THRESHOLD = 85.0
# Of all truths of two domains; the bundled ones share none at all.
TRUTHS_THRESHOLD = 0.5

_COMMON_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at based be being by can domain each env environment for from game given has have
    in into is it its of on or puzzle reasoning that the their them these this to under using via what
    which who whose with within
    determine determining detect detecting diagnose diagnosing discover discovering find finding
    identification identify identifying identity infer inferring name naming recognise recognising
    recognize recognizing""",
    )
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOT_PLURAL = ("as", "is", "os", "ss", "us")


@dataclass(frozen=True, slots=True)
class KnownDomain:
    """A domain that exists already, by its name and goal ("" where it has none)."""

    name: str
    goal: str


@dataclass(frozen=True, slots=True)
class Twin:
    """A domain that another is too much like: in what, how much (0 to 100), and from where it is too much."""

    domain: KnownDomain
    by: str
    score: float
    threshold: float

    @property
    def message(self) -> str:
        """What is alike, in words."""
        return (
            f"its {self.by} {'are' if ' and ' in self.by else 'is'} {self.score:.0f} of 100 similar to "
            f"{self.domain.name!r}, the limit is {self.threshold:.0f}; propose another subject"
        )


def nearest_twin(name: str, goal: str, domains: Iterable[KnownDomain]) -> Twin | None:
    """The known domain that one of this name and goal is too much like, the likest one, or None.

    Too much alike are names from NAME_THRESHOLD on, goals from GOAL_THRESHOLD on, and both from a mean of
    MEAN_THRESHOLD on. A goal that is blank or holds common words only is like no other.
    """
    twins = [twin for domain in domains if (twin := _twin(name, goal, domain)) is not None]
    return max(twins, key=lambda twin: twin.score, default=None)


@lru_cache(maxsize=65536)
def normalise_text(text: str) -> str:
    """The words of a text that distinguish it from others, singular, folded, sorted and joined by spaces.

    `MineralIdentificationEnv` and `The minerals` both give `mineral`. Where all words are common ones, all
    of them stay.
    """
    spaced = _HUMP.sub(" ", unicodedata.normalize("NFKC", text))
    letters = "".join(c if c.isalnum() else "" if c in "'’" else " " for c in spaced.casefold())
    words = letters.split()
    telling = [word for word in words if word not in _COMMON_WORDS]
    return " ".join(sorted(_singular(word) for word in telling or words))


def share_of_truths(truths: Iterable[str], others: Iterable[str]) -> float:
    """The share (0 to 1) that two domains have in common of all their truths, normalised (Jaccard)."""
    ours, theirs = set(map(normalise_text, truths)), set(map(normalise_text, others))
    return len(ours & theirs) / len(ours | theirs) if ours or theirs else 0.0


def refuse_same_truths(truths: Iterable[str], truths_by_domain: Mapping[str, Iterable[str]]) -> str | None:
    """Why truths that a known domain shares from TRUTHS_THRESHOLD on make no new domain, or None."""
    ours = tuple(truths)
    shares = ((share_of_truths(ours, others), name) for name, others in truths_by_domain.items())
    share, name = max(shares, default=(0.0, ""))
    if share < TRUTHS_THRESHOLD:
        return None
    return (
        f"it shares {share:.0%} of its truths with {name!r}, the limit is {TRUTHS_THRESHOLD:.0%}; propose "
        "another subject"
    )


def _twin(name: str, goal: str, domain: KnownDomain) -> Twin | None:
    from rapidfuzz import fuzz

    names = fuzz.ratio(normalise_text(name), normalise_text(domain.name))
    shared = fuzz.token_set_ratio(normalise_text(name), normalise_text(domain.name))
    goals = 0.0
    if _is_telling(goal) and _is_telling(domain.goal):
        goals = fuzz.ratio(normalise_text(goal), normalise_text(domain.goal))
    for by, score, threshold in (
        ("name", names, NAME_THRESHOLD),
        ("goal", goals, GOAL_THRESHOLD),
        ("name and goal", (shared + goals) / 2, MEAN_THRESHOLD),
    ):
        if score >= threshold:
            return Twin(domain, by, score, threshold)
    return None


def _is_telling(goal: str) -> bool:
    return any(word not in _COMMON_WORDS for word in normalise_text(goal).split())


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(_NOT_PLURAL):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    return word[:-1]


SYSTEM_TEMPLATE = "kumo/authors/propose_system.md.j2"
TEMPLATE = "kumo/authors/propose.md.j2"

_SCHEMA_NAME = "domain_proposals"
_NAMES_SHOWN = 400
_REASONS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Proposed:
    """What came of asking: the accepted proposals in order, what was refused and why, and all calls.

    `shortfall` says in one line why there are fewer than asked for; None where there are not.
    """

    proposals: tuple[Proposal, ...]
    rejections: tuple[Rejection, ...]
    call_ids: tuple[str, ...]
    shortfall: str | None


@dataclass(slots=True)
class _ProposalWork:
    """What a run has come to so far."""

    quotas: CategoryQuotas
    earlier: tuple[KnownDomain, ...]
    proposals: list[Proposal] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    call_ids: list[str] = field(default_factory=list)

    @property
    def missing(self) -> int:
        return self.quotas.wanted - len(self.proposals)

    @property
    def room(self) -> Mapping[str, int]:
        return self.quotas.room(proposal.category for proposal in self.proposals)

    @property
    def existing(self) -> list[KnownDomain]:
        accepted = (KnownDomain(proposal.name, proposal.goal) for proposal in self.proposals)
        return [*self.earlier, *accepted]

    def refuse(self, name: str, rule: str, reason: str, call_id: str) -> None:
        """Refuse one proposal; of a whole reply nobody knows how many it held."""
        self.rejections.append(Rejection("proposal", name, rule, reason, call_id, amount=1))


async def propose_domains(
    ask: Ask,
    proposer: ModelChoice,
    n: int,
    categories: tuple[Quota, ...],
    existing: Sequence[KnownDomain],
    rounds: int = 5,
    *,
    ask_json: JsonAsker | None = None,
) -> Proposed:
    """N domains of these categories (none given: any), like none that is known, or as many as came.

    A proposal is refused, with the reason, for the rules `not_the_form`, `other_category`, `near_duplicate`
    (`perennial.tasks.kumo.authors.proposal`), `full_category` (`perennial.tasks.kumo.authors.proposal`) and
    `surplus`; a whole reply for `not_json`, `not_the_form` or its status (`truncated`, `refused`, `empty`,
    `rejected`). Then the next round asks again; a rejected call ends the rounds. A category counts in any
    case and is kept as it was asked for.
    Give one `ask_json` to many calls: it remembers what the server can do. Raises EndpointFailed where a
    call fails without an answer: the same call on the same ledger resumes there.
    """
    asker = ask_json or JsonAsker(ask)
    work = _ProposalWork(CategoryQuotas(n, categories), tuple(existing))
    for number in range(rounds):
        if work.missing <= 0 or not await _round(asker, proposer, work, number):
            break
    return Proposed(tuple(work.proposals), tuple(work.rejections), tuple(work.call_ids), _shortfall(work))


async def _round(asker: JsonAsker, proposer: ModelChoice, work: _ProposalWork, number: int) -> bool:
    """Ask once and take in what came; return whether another round makes sense.

    Of many names and reasons the last are shown, and how many others there are.
    """
    names = [domain.name for domain in work.existing]
    reasons = [f"{refused.subject}: {refused.message}" for refused in work.rejections]
    request = author_request(
        "proposer",
        proposer,
        SYSTEM_TEMPLATE,
        TEMPLATE,
        number,
        count=work.missing,
        categories=[(category, most) for category, most in work.room.items() if most],
        known=names[-_NAMES_SHOWN:],
        more_known=max(0, len(names) - _NAMES_SHOWN),
        refused=reasons[-_REASONS_SHOWN:],
        more_refused=max(0, len(reasons) - _REASONS_SHOWN),
        longest_name=LONGEST_NAME,
        longest_noun=LONGEST_NOUN,
        longest_phrase=LONGEST_PHRASE,
        longest_title=LONGEST_TITLE,
    )
    reply = await asker(request, _SCHEMA_NAME, proposals_schema())
    work.call_ids.append(reply.call_id)
    problem = unusable_status(reply)
    if problem is None:
        problem = _take_in(work, reply.content, reply.call_id)
    if problem is not None:
        work.rejections.append(
            Rejection("proposal", f"reply {number + 1}", problem.rule, problem.message, reply.call_id)
        )
    return problem is None or not problem.is_final


def _take_in(work: _ProposalWork, content: str, call_id: str) -> Unusable | None:
    """Accept or refuse each proposal of a reply; return why the reply as a whole is refused, if it is."""
    try:
        entries = proposal_entries(content)
    except NotTheForm as error:
        return Unusable("not_the_form", str(error))
    except UnreadableInput as error:
        return Unusable("not_json", str(error))
    for entry in entries:
        try:
            _judge(work, read_entry(entry), call_id)
        except NotTheForm as error:
            work.refuse(entry_name(entry), "not_the_form", str(error), call_id)
    return None


def _judge(work: _ProposalWork, form: ProposalForm, call_id: str) -> None:
    if work.missing <= 0:
        work.refuse(form.name, "surplus", f"more than the {work.quotas.wanted} domains asked for", call_id)
        return
    category = work.quotas.match(form.category)
    if category is None:
        expected = ", ".join(repr(name) for name, _ in work.quotas.categories)
        reason = f"its category is {form.category!r}, expected {expected}; keep to what is asked for"
        work.refuse(form.name, "other_category", reason, call_id)
        return
    twin = nearest_twin(form.name, form.goal, work.existing)
    if twin is not None:
        work.refuse(form.name, "near_duplicate", twin.message, call_id)
        return
    room = work.room
    if room and not room[category]:
        still = ", ".join(repr(name) for name, most in room.items() if most)
        reason = f"category {category!r} has as many domains as were asked for; propose one of {still}"
        work.refuse(form.name, "full_category", reason, call_id)
        return
    values = {**form.model_dump(), "category": category}
    work.proposals.append(Proposal(**values, call_id=call_id))


def _shortfall(work: _ProposalWork) -> str | None:
    if work.missing <= 0:
        return None
    asked = f"{len(work.proposals)} of {work.quotas.wanted} domains proposed after {len(work.call_ids)} calls"
    if not work.rejections:
        return f"{asked}; ask in more rounds"
    causes = count_causes((rejection.rule, rejection.message) for rejection in work.rejections)
    return f"{asked}, {len(work.rejections)} refused: {causes}"
