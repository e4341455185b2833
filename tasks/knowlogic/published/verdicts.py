"""Verdicts of our engine on imported questions: whether their key follows from their text.

The engine reads a text where every line of it is known: by the templates that our own questions are written
with, or by the published sentences about six in a ring (`published_ring`). Any other text is undecided.
"""

from typing import NamedTuple

from perennial.schemas.knowlogic.knowledge import Knowledge
from perennial.schemas.knowlogic.things import LETTERS, Decision, DomainName, ItemVerdict
from perennial.tasks.knowlogic.published.published_form import Imported
from perennial.tasks.knowlogic.published.published_ring import decide_ring
from perennial.tasks.knowlogic.registry import find_domain
from perennial.tasks.knowlogic.wording.layout import frame, read_text

_MOST = 200


class ItemFinding(NamedTuple):
    """The verdict on an item, the letters that follow where it is decided, and the reason in words."""

    verdict: ItemVerdict
    letters: str | None
    reason: str


def judge_item(item: Imported, knowledge: Knowledge) -> ItemFinding:
    """Return the engine's verdict on an imported question."""
    reasons = []
    for name, read in (("templates", _decide_ours), ("published ring", _decide_published)):
        try:
            decision = read(item, knowledge)
        except (ValueError, LookupError) as error:
            reasons.append(f"{name}: {error}")
        else:
            return _compare(item, decision)
    return ItemFinding("undecided", None, "; ".join(reasons)[:_MOST])


def _decide_ours(item: Imported, knowledge: Knowledge) -> Decision:
    name: DomainName = item.domain  # type: ignore[assignment]  # one of them: `read_questions` checked it
    domain = find_domain(name, knowledge)
    return domain.decide(read_text(domain, item.shown, item.language))


def _decide_published(item: Imported, _: Knowledge) -> Decision:
    if item.domain != "space":
        raise ValueError(f"no items of {item.domain} are read")
    return decide_ring(item.shown, item.language)


def _compare(item: Imported, decision: Decision) -> ItemFinding:
    if not decision.arrangements:
        return ItemFinding("impossible", None, "the statements allow no arrangement")
    if None in decision.verdicts:
        letter = LETTERS[decision.verdicts.index(None)]
        reason = f"option {letter} is true in some of {decision.arrangements} arrangements only"
        return ItemFinding("open", None, reason)
    incorrect = frame("incorrect_statements", item.language).casefold()
    wanted = item.shown.question.casefold() != incorrect
    letters = "".join(LETTERS[place] for place, each in enumerate(decision.verdicts) if each is wanted)
    if not letters and len(decision.verdicts) < len(LETTERS):
        letters = LETTERS[-1]
    if letters == item.letters:
        return ItemFinding("agrees", letters, f"{letters} follows from the statements")
    follows = letters or "no letter"
    return ItemFinding(
        "differs", letters, f"{follows} follows from the statements, and the key is {item.letters}"
    )
