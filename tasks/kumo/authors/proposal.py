"""Have a model propose new domains (paper v2, figure 7), unlike those that exist.

Each round is one call for the domains still missing. It names those that exist and says why earlier
proposals were refused, so that no two rounds ask the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.kumo.categories import Quota
from perennial.schemas.kumo.things import Proposal
from perennial.schemas.model_calls.calls import ModelChoice, ModelRequest
from perennial.schemas.rows import Rejection
from perennial.tasks.authors.reply import Unusable, count_causes, unusable_status
from perennial.tasks.authors.request import author_request
from perennial.tasks.kumo.authors.forms.proposal_form import (
    LONGEST_NAME,
    LONGEST_NOUN,
    LONGEST_PHRASE,
    LONGEST_TITLE,
    NotTheForm,
    ProposalForm,
    entry_name,
    proposal_entries,
    proposals_schema,
    read_entry,
)
from perennial.tasks.kumo.authors.quotas import Quotas
from perennial.tasks.kumo.authors.similar import KnownDomain, nearest_twin
from perennial.tasks.llm.asking import Ask
from perennial.tasks.llm.structured import JsonAsker

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
class _Work:
    """What a run has come to so far."""

    quotas: Quotas
    known: tuple[KnownDomain, ...]
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
        return [*self.known, *accepted]

    def refuse(self, name: str, rule: str, reason: str, call_id: str) -> None:
        """Refuse one proposal; of a whole reply nobody knows how many it held."""
        self.rejections.append(Rejection("proposal", name, rule, reason, call_id, amount=1))


async def propose_domains(
    ask: Ask,
    proposer: ModelChoice,
    n: int,
    categories: tuple[Quota, ...],
    known: Sequence[KnownDomain],
    rounds: int = 5,
    *,
    ask_json: JsonAsker | None = None,
) -> Proposed:
    """Return n domains of these categories (none given: any), like none that is known, or as many as came.

    A proposal is refused, with the reason, for the rules `not_the_form`, `other_category`, `near_duplicate`
    (`perennial.tasks.kumo.authors.similar`), `full_category` (`perennial.tasks.kumo.authors.quotas`) and
    `surplus`; a whole reply for `not_json`, `not_the_form` or its status (`truncated`, `refused`, `empty`,
    `rejected`). Then the next round asks again; a rejected call ends the rounds. A category counts in any
    case and is kept as it was asked for.
    Give one `ask_json` to many calls: it remembers what the server can do. Raises EndpointFailed where a
    call fails without an answer: the same call on the same ledger resumes there.
    """
    asker = ask_json or JsonAsker(ask)
    work = _Work(Quotas(n, categories), tuple(known))
    for number in range(rounds):
        if work.missing <= 0 or not await _round(asker, proposer, work, number):
            break
    return Proposed(tuple(work.proposals), tuple(work.rejections), tuple(work.call_ids), _shortfall(work))


async def _round(asker: JsonAsker, proposer: ModelChoice, work: _Work, number: int) -> bool:
    """Ask once and take in what came; return whether another round makes sense."""
    names = [domain.name for domain in work.existing]
    reasons = [f"{refused.subject}: {refused.message}" for refused in work.rejections]
    request = proposal_request(proposer, work.missing, work.room, names, reasons, number)
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


def proposal_request(
    proposer: ModelChoice,
    count: int,
    room: Mapping[str, int],
    names: Sequence[str],
    reasons: Sequence[str],
    number: int,
) -> ModelRequest:
    """Return the call of round `number`: for `count` domains unlike the names, knowing the reasons.

    `room` is the largest number of each category.

    Of many names and reasons the last are shown, and how many others there are.
    """
    return author_request(
        "proposer",
        proposer,
        SYSTEM_TEMPLATE,
        TEMPLATE,
        number,
        count=count,
        categories=[(category, most) for category, most in room.items() if most],
        known=names[-_NAMES_SHOWN:],
        more_known=max(0, len(names) - _NAMES_SHOWN),
        refused=reasons[-_REASONS_SHOWN:],
        more_refused=max(0, len(reasons) - _REASONS_SHOWN),
        longest_name=LONGEST_NAME,
        longest_noun=LONGEST_NOUN,
        longest_phrase=LONGEST_PHRASE,
        longest_title=LONGEST_TITLE,
    )


def _take_in(work: _Work, content: str, call_id: str) -> Unusable | None:
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


def _judge(work: _Work, form: ProposalForm, call_id: str) -> None:
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


def _shortfall(work: _Work) -> str | None:
    if work.missing <= 0:
        return None
    asked = f"{len(work.proposals)} of {work.quotas.wanted} domains proposed after {len(work.call_ids)} calls"
    if not work.rejections:
        return f"{asked}; ask in more rounds"
    causes = count_causes((rejection.rule, rejection.message) for rejection in work.rejections)
    return f"{asked}, {len(work.rejections)} refused: {causes}"
