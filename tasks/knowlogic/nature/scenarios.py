"""The scenarios of nature: which things stand at the four places, and which properties tell them apart."""

from dataclasses import dataclass
from functools import cached_property

from perennial.tasks.knowlogic.nature.meaning import SPECTRUM
from perennial.tasks.knowlogic.nature.tables import NOT_APPLY, Nature


@dataclass(frozen=True)
class Scenario:
    """A scenario: the kinds of things, the kind whose properties are drawn for (its own), and the properties
    that its sentences cannot say well.
    """

    name: str
    kinds: frozenset[str]
    own: str
    unused: frozenset[str] = frozenset()


SCENARIOS = (
    Scenario("farm", frozenset({"plant"}), "plant"),
    Scenario("zoo", frozenset({"animal"}), "animal"),
    # "The thing in the photo is a woody plant" is odd of a peach.
    Scenario("photos", frozenset({"animal", "plant", "artefact"}), "artefact", frozenset({"stem"})),
)


@dataclass(frozen=True)
class Choice:
    """What a scenario has to choose from: its things, its properties, and pools of things to draw four of."""

    scenario: Scenario
    nature: Nature

    @cached_property
    def entities(self) -> tuple[str, ...]:
        """Things of the scenario's kinds."""
        return tuple(e.id for e in self.nature.entities.values() if e.kind in self.scenario.kinds)

    @cached_property
    def properties(self) -> tuple[str, ...]:
        """Properties of the scenario's kinds, for which two things or more surely differ."""
        return tuple(
            each.id
            for each in self.nature.properties.values()
            if self.scenario.kinds & set(each.kinds)
            and each.id not in self.scenario.unused
            and len({self.nature.cells[entity][each.id] for entity in self.entities} - {None}) > 1
        )

    @cached_property
    def pools(self) -> tuple[tuple[str | None, tuple[str, ...]], ...]:
        """Pools to draw four things of, each with the property that it is about.

        There are as many of all things as others: one per property of the scenario's own kind, of things that
        surely have it, and one of things with colors of the spectrum. Without these, properties that are
        often unsure would hardly be used.
        """
        cells = self.nature.cells
        pools: list[tuple[str | None, tuple[str, ...]]] = []
        for name in self.properties:
            if self.scenario.own in self.nature.properties[name].kinds:
                sure = tuple(e for e in self.entities if cells[e][name] not in (None, NOT_APPLY))
                pools += [(name, sure), (None, self.entities)]
        if "color" in self.properties:
            pools.append(("color", tuple(e for e in self.entities if cells[e]["color"] in SPECTRUM)))
        return tuple((name, pool) for name, pool in pools if len(pool) >= 4)
