"""The messages by which the KUMO authors asked, as templates that were read from a clone of their release.

A template is a text with slots `{name}`; braces of the text itself are doubled. No sentence of theirs stands
in this project.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from string import Formatter

from perennial.schemas.ids import content_id
from perennial.schemas.rows import JsonObject, ReadJson

PERENNIAL, KUMO_2025 = "perennial", "kumo-2025"
PROTOCOLS = (PERENNIAL, KUMO_2025)


@dataclass(frozen=True, slots=True)
class PaperMessages:
    """The authors' messages in one of their domains, with slots for truths, actions, book and observation.

    `system` is the first message, `closed` that without a book. `first` is the user's message of the first
    call; in later calls `begin` stands in its place. `observed` shows what the last action gave, and `tail`
    is added to it in the last message of a call alone.
    """

    domain: str
    system: str
    closed: str
    first: str
    begin: str
    observed: str
    tail: str

    @property
    def template(self) -> str:
        """The name under which calls keep where their wording came from."""
        return f"{KUMO_2025}/{self.domain}"

    @property
    def template_hash(self) -> str:
        """The content id of all these texts."""
        return content_id("tpl", asdict(self))

    @classmethod
    def in_plan(cls, protocol: ReadJson, domain: str) -> "PaperMessages | None":
        """Return the messages that an evaluation's plan keeps for a domain; None: perennial's own."""
        return cls(**protocol["texts"][domain]) if protocol.get("name") == KUMO_2025 else None


def plan_protocol(messages: Mapping[str, PaperMessages]) -> JsonObject:
    """Return what an evaluation's plan keeps of the messages by domain: their hashes, and the texts.

    With the texts it can be resumed and reproduced without the clone.
    """
    return {
        "name": KUMO_2025,
        "templates": {name: found.template_hash for name, found in messages.items()},
        "texts": {name: asdict(found) for name, found in messages.items()},
    }


def escape(text: str) -> str:
    """Return the text as a template without slots."""
    return text.replace("{", "{{").replace("}", "}}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return the template's text with these values in its slots."""
    parts = Formatter().parse(template)
    return "".join(literal + ("" if slot is None else values[slot]) for literal, slot, _, _ in parts)


def slots_of(template: str) -> set[str]:
    """Return the names of the template's slots."""
    return {slot for _, slot, _, _ in Formatter().parse(template) if slot is not None}
