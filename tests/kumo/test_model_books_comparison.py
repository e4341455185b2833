"""Comparison of a read-back with the rules: perfect ones pass, and one changed thing is found as its kind."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from perennial.schemas.kumo.things import BookRule, BookVerdict
from perennial.tasks.kumo.authors.read_back import PassageForm, compare
from perennial.tasks.kumo.books import closed_ends, describe_rule
from tests.kumo.saying import changed, ends, one_action, read_back
from tests.kumo.small_worlds import some, worlds
from tests.kumo.test_books import CLINIC

KINDS = ("missing", "extra", "confirmed", "ambiguous")


def perfect(rules):
    return read_back(
        one_action(
            rule.action,
            rule.label,
            ends(rule.low, rule.high, True, closed) if rule.label is None else None,
            sorted(rule.rules_out),
        )
        for rule, closed in zip(rules, closed_ends(rules), strict=True)
    )


def verdict_of(world, said):
    return compare(said, world.instance.truths, world.rules)


def change(said, place, **values):
    entries = list(said.actions)
    entries[place] = changed(entries[place], **values)
    return read_back(entries)


def outcome_at(said, place):
    return said.actions[place].outcomes[0]


def kinds_of(verdict):
    return {kind for kind in KINDS if getattr(verdict, kind)}


def exclusions(world):
    return [(i, name) for i, rule in enumerate(world.rules) for name in sorted(rule.rules_out)]


def without(outcome, name):
    return [each for each in outcome.rules_out if each != name]


@pytest.mark.slow
@some
@given(worlds(), st.randoms(use_true_random=False))
def test_a_perfect_statement_passes_however_it_is_arranged_and_written(world, rng):
    entries = []
    for entry in perfect(world.rules).actions:
        excluded = entry.outcomes[0].rules_out
        if not excluded and rng.random() < 0.5:
            continue  # what rules out nothing may be left out
        cut = rng.randint(0, len(excluded))
        entries += [changed(entry, rules_out=excluded[:cut]), changed(entry, rules_out=excluded[cut:])]
    rng.shuffle(entries)
    assert verdict_of(world, read_back(entries)) == BookVerdict()
    assert BookVerdict().passed
    labels = [rule.label for rule in world.rules if rule.label is not None]
    assume(len({label.casefold() for label in labels}) == len(set(labels)))
    assert verdict_of(world, read_back(map(in_other_case_and_spacing, entries))).passed


def in_other_case_and_spacing(entry):
    def other(name):
        return None if name is None else f" {name.swapcase()}  "

    (outcome,) = entry.outcomes
    rules_out = list(map(other, outcome.rules_out))
    return changed(entry, action=other(entry.action), label=other(outcome.label), rules_out=rules_out)


@pytest.mark.slow
@some
@given(worlds(), st.data(), st.booleans())
def test_one_changed_exclusion_is_found_as_its_kind(world, data, as_well):
    said, truths = perfect(world.rules), world.instance.truths
    place, name = data.draw(st.sampled_from(exclusions(world)))
    outcome, start = outcome_at(said, place), f'action "{said.actions[place].action}": '
    left_out = without(outcome, name)
    other = data.draw(st.sampled_from(sorted({*truths, "No such truth"} - set(outcome.rules_out))))
    passage = PassageForm(passage="this speaks against it", names=[name.upper()])

    def judge(**values):
        return verdict_of(world, change(said, place, **values))

    def line(truth):
        rule = replace(world.rules[place], rules_out=frozenset({truth}))
        return describe_rule(rule, closed_ends(world.rules)[place])

    assert judge(rules_out=left_out) == BookVerdict(missing=(line(name),))
    assert judge(rules_out=[*outcome.rules_out, other]) == BookVerdict(extra=(line(other),))
    confirming = judge(rules_out=outcome.rules_out if as_well else left_out, confirms=[name])
    unclear = judge(rules_out=left_out, unclear=[passage])
    assert (kinds_of(confirming), kinds_of(unclear)) == ({"confirmed"}, {"ambiguous"})
    for (told,), end in (
        (confirming.confirmed, f' confirms "{name}"'),
        (unclear.ambiguous, ": “this speaks against it”"),
    ):
        assert told.startswith(start)
        assert told.endswith(end)


@pytest.mark.slow
@some
@given(worlds(), st.data(), st.sampled_from(["action", "label", "low", "high"]))
def test_an_outcome_under_another_name_or_bound_is_missing_and_extra(world, data, what):
    place, _ = data.draw(st.sampled_from(exclusions(world)))
    said = perfect(world.rules)
    outcome = outcome_at(said, place)
    if what == "action":
        values = {"action": said.actions[place].action + " too"}
    elif what == "label":
        assume(outcome.label is not None)
        values = {"label": f"not {outcome.label} at all"}
    else:
        assume(outcome.range is not None)
        bound = data.draw(st.sampled_from([None, getattr(outcome.range, what) + 0.125]))
        values = {"range": outcome.range.model_copy(update={what: bound})}
    verdict = verdict_of(world, change(said, place, **values))
    assert kinds_of(verdict) == {"missing", "extra"}
    assert len(verdict.missing) == len(verdict.extra) == 1


def test_an_unknown_outcome_that_rules_out_nothing_is_no_error():
    said = perfect(CLINIC.rules)
    stranger = one_action("Swab", "green")
    assert verdict_of(CLINIC, read_back([*said.actions, stranger])).passed
    odd = PassageForm(passage="green is odd", names=[])
    wrong = changed(stranger, confirms=["Flu"], unclear=[odd])
    assert verdict_of(CLINIC, read_back([*said.actions, wrong])) == BookVerdict(
        confirmed=('action "Swab": "green" confirms "Flu"',),
        ambiguous=('action "Swab": "green": “green is odd”',),
    )


def test_a_passage_of_no_outcome_is_ambiguous_and_told_once():
    said = read_back(perfect(CLINIC.rules).actions, ["Tests often help.", "Tests often help."])
    assert verdict_of(CLINIC, said) == BookVerdict(ambiguous=("“Tests often help.”",))


def test_a_confirmation_of_what_no_rule_excludes_is_an_error_too():
    said = change(perfect(CLINIC.rules), 3, confirms=["Cold"])
    assert verdict_of(CLINIC, said).confirmed == ('action "Swab": "red" confirms "Cold"',)


def test_a_passage_that_names_no_truth_excuses_no_missing_rule():
    said = change(
        perfect(CLINIC.rules), 0, rules_out=[], unclear=[PassageForm(passage="it depends", names=[])]
    )
    assert kinds_of(verdict_of(CLINIC, said)) == {"missing", "ambiguous"}


# The clinic's thermometer: [35, 37.5) rules out Flu, [37.5, 42] rules out Cold.
@pytest.mark.parametrize(
    ("place", "included", "kinds"),
    [
        (0, (True, False), set()),
        (0, (False, False), set()),  # no other range has 35
        (0, (None, False), set()),
        (0, (True, True), {"missing", "extra"}),
        (0, (True, None), {"ambiguous"}),
        (0, (None, None), {"ambiguous"}),
        (1, (True, True), set()),
        (1, (True, False), set()),  # no other range has 42
        (1, (True, None), set()),
        (1, (None, None), set()),  # the range below leaves 37.5 out, so only this one can have it
        (1, (False, True), {"missing", "extra"}),
    ],
)
def test_ends_count_where_two_ranges_share_them(place, included, kinds):
    said = perfect(CLINIC.rules)
    low, high = included
    changed_range = outcome_at(said, place).range.model_copy(
        update={"low_included": low, "high_included": high}
    )
    verdict = verdict_of(CLINIC, change(said, place, range=changed_range))
    assert kinds_of(verdict) == kinds


def test_an_open_end_is_told_in_words():
    said = perfect(CLINIC.rules)
    open_end = outcome_at(said, 0).range.model_copy(update={"high_included": None})
    assert verdict_of(CLINIC, change(said, 0, range=open_end)).ambiguous == (
        'action "Thermometer": 35.0 (included) to 37.5 (excluded): '
        "whether 37.5 belongs to this range is not said",
    )


def test_a_wrong_range_is_told_as_it_was_said():
    said = perfect(CLINIC.rules)
    wrong = ends(None, 37.5, None, True)
    assert verdict_of(CLINIC, change(said, 0, range=wrong)).extra == (
        'action "Thermometer": no bound (not said) to 37.5 (included) rules out "Flu"',
    )


def test_nothing_hangs_on_the_ends_of_a_range_that_rules_out_nothing():
    rules = (
        BookRule("Scale", None, 0.0, 5.0, frozenset()),
        BookRule("Scale", None, 5.0, 9.0, frozenset({"Gout"})),
    )
    said = perfect(rules)
    for end in (True, None):
        loose = outcome_at(said, 0).range.model_copy(update={"high_included": end})
        assert compare(change(said, 0, range=loose), ["Gout"], rules).passed


def test_names_that_two_listed_ones_share_match_exactly_only():
    rules = (
        BookRule("Swab", "Red", None, None, frozenset({"A"})),
        BookRule("Swab", "red", None, None, frozenset({"B"})),
    )
    said = perfect(rules)
    assert compare(said, ["A", "B"], rules).passed
    assert kinds_of(compare(change(said, 0, label="RED"), ["A", "B"], rules)) == {"missing", "extra"}
