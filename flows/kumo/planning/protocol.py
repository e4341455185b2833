"""How models are asked: perennial's own way, or that of the KUMO authors, with their release's templates."""

from collections.abc import Iterable
from pathlib import Path

from perennial.flows.kumo.guidebooks import count_domains
from perennial.flows.kumo.release.message_files import read_messages
from perennial.schemas.errors import InvalidOption
from perennial.schemas.kumo.plan import (
    AMONG,
    KUMO_2025,
    OUTCOMES,
    PERENNIAL,
    plan_protocol,
    refuse_few_domains,
)
from perennial.schemas.kumo.settings import KumoSettings
from perennial.schemas.plan import EditionPlan
from perennial.schemas.rows import JsonObject
from perennial.tasks.kumo.game import SYMBOLIC
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.store.store import Store

# The authors' domain of the same subject and nouns, of those bundled domains that have one.
COUNTERPARTS = {
    "Chemical Analysis": "ChemicalEnv",
    "Fantasy Artefacts": "FantasyEnv",
    "Medical Diagnosis": "MedicalEnv",
    "Music Identification": "MusicEnv",
    "Student Assessment": "EducationEnv",
}


def choose_protocol(settings: KumoSettings, domains: Iterable[str]) -> JsonObject:
    """Return what an evaluation of these domains keeps of its protocol, nothing for perennial's own.

    Raises InvalidOption for settings that do not fit together and for a domain that the authors have no
    messages for, UnreadableInput for a template that is missing or altered.
    """
    if settings.protocol == PERENNIAL:
        if settings.release:
            raise InvalidOption(
                f"--release {settings.release!r} is read under --protocol {KUMO_2025} only: give both or none"
            )
        return {}
    if not settings.release:
        raise InvalidOption(
            f"--protocol {KUMO_2025} asks with the message templates of the KUMO authors: name a clone of "
            "their repository with --release"
        )
    for name in (*settings.players, *settings.anchors):
        if name.startswith(f"{SYMBOLIC}:"):
            raise InvalidOption(
                f"player {name!r}: --protocol {KUMO_2025} shows no rules as a mapping; leave it out"
            )
    for name in settings.books:
        if name in AMONG:
            raise InvalidOption(
                f"--books {name}: --protocol {KUMO_2025} has no words for several books: leave one out"
            )
    if settings.reliability != [OUTCOMES]:
        raise InvalidOption(
            f"--reliability {','.join(settings.reliability)}: --protocol {KUMO_2025} has no words for wrong "
            "reports: leave one out"
        )
    theirs = {name: _their_domain(name) for name in domains}
    messages = read_messages(Path(settings.release), sorted(set(theirs.values())))
    return plan_protocol({name: messages[domain] for name, domain in sorted(theirs.items())})


def protocol_of(settings: KumoSettings, store: Store, growth: EditionPlan) -> JsonObject:
    """Return the protocol of an evaluation of a published edition.

    Raises InvalidOption where models are to be shown more books than it has domains.
    """
    if any(name in AMONG for name in settings.books):
        refuse_few_domains(settings.books, count_domains(store, growth.edition))
    domains = store.read_table(table_file("kumo_domains", growth.edition), ["name"]).to_pylist()
    return choose_protocol(settings, [row["name"] for row in domains])


def _their_domain(name: str) -> str:
    domain = COUNTERPARTS.get(name, name)
    if not domain.isidentifier() or not domain.endswith("Env"):
        raise InvalidOption(
            f"domain {name!r}: --protocol {KUMO_2025} needs a domain of the KUMO authors, called <Name>Env, "
            f"or one of the bundled {', '.join(COUNTERPARTS)}; name such domains with --domains"
        )
    return domain
