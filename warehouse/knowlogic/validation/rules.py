"""All rules by name: what each finds, in every table of the knowledge base that it concerns."""

from collections.abc import Callable, Iterable
from itertools import chain

from perennial.schemas.knowlogic.knowledge import Knowledge
from perennial.warehouse.knowlogic.validation import names, nature, people, relations, years
from perennial.warehouse.knowlogic.validation.finding import Finding, Found

Check = Callable[[Knowledge], Found]


def _all(*checks: Check) -> Check:
    return lambda knowledge: chain.from_iterable(check(knowledge) for check in checks)


RULES: dict[str, Check] = {
    "duplicate_id": names.find_duplicate_ids,
    "duplicate_name_zh": names.find_duplicates("zh"),
    "duplicate_name_en": names.find_duplicates("en"),
    "duplicate_name_pinyin": names.find_duplicates("pinyin"),
    "missing_translation": names.find_missing_translations,
    "missing_source": names.find_missing_sources,
    "missing_row": nature.find_missing_rows,
    "wrong_script": names.find_wrong_scripts,
    "name_with_joiner": names.find_joiners,
    "ambiguous_name": names.find_ambiguous_names,
    "value_not_listed": _all(nature.find_unlisted_values, people.find_unlisted_sexes),
    "kind_not_allowed": nature.find_wrong_kinds,
    "unknown_reference": _all(nature.find_unknown_properties, relations.find_unknown_relations),
    "contradiction": _all(
        nature.find_broken_rules, relations.find_contradictions, people.find_wrong_names, years.find_two_years
    ),
}


def validate_knowledge(knowledge: Knowledge, rules: Iterable[str] = tuple(RULES)) -> list[Finding]:
    """Return what breaks the rules of these names, rule by rule, in the tables' order."""
    return [Finding(name, *found) for name in rules for found in RULES[name](knowledge)]
